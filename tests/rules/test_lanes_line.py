"""The line at a lane: who gets in, in which order, and what becomes of the places of the dead."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from batch import conf, database
from batch.models import BatchLane, BatchTurn
from batch.moves import lanes
from batch.moves.claim import Claim, claim_job
from batch.moves.end import cut_off, reap
from tests.concurrency import run_threads
from tests.databases import ALIAS
from tests.rules.jobs import HOUR, change, row, states
from tests.rules.lanes import submit

pytestmark = pytest.mark.django_db(transaction=True)


def through(job_id: str, idx: int = 0, name: str = "a", **batch: Any) -> lanes.Answer:
    rules = conf.Settings(classes={}, **{"per_lane": 1, **batch}).lane_rules
    assert rules
    return lanes.enter(held(job_id), idx, name, rules, ALIAS)


def held(job_id: str) -> Claim:
    """The job as its worker has it, taken in hand if nobody has it yet."""
    job = row(job_id)
    taken = claim_job(job.id, "host:1:aa", HOUR, ALIAS, lanes=True)
    return taken or Claim(job.id, job.caller, "", job.targets_total, job.claim, job.created_at)


def ended(job_id: str, idx: int = 0, name: str = "a", seconds: float = 0) -> None:
    """The target has run, and its lane opens after so long."""
    delay = timedelta(seconds=seconds)
    database.in_transaction(lambda: lanes.leave(row(job_id).id, name, delay, ALIAS), ALIAS)


def test_first_come_first_served() -> None:
    first, second, third = submit("a", "a"), submit("a"), submit("a")
    assert through(first).runs
    assert not through(second).runs
    assert not through(third).runs
    ended(first)
    # The first wants in again, and the third comes sooner than the second.
    assert not through(first, 1).runs
    assert not through(third).runs
    assert through(second).runs
    ended(second)
    assert not through(first, 1).runs
    assert through(third).runs
    ended(third)
    assert through(first, 1).runs


def test_who_does_not_ask_any_more_is_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "ASKED_FOR", timedelta(milliseconds=1))
    first, second, third = submit("a"), submit("a"), submit("a")
    assert through(first).runs
    assert not through(second).runs
    assert not through(third).runs
    time.sleep(0.01)
    ended(first)
    assert through(third).runs
    # Its older number does not let it in beside the one that runs.
    assert not through(second).runs
    ended(third)
    assert through(second).runs


def test_a_dead_workers_target_keeps_its_place_until_it_is_reaped() -> None:
    first, second = submit("a"), submit("a")
    assert through(first).runs
    change(first, claim_expires_at=database.now(ALIAS) - HOUR)
    # It may come back and renew its claim, and its fetch goes on all the while.
    assert not through(second).runs
    assert reap("restart", ALIAS) == 1
    assert through(second).runs


def test_a_job_that_its_worker_gives_up_leaves_its_lane() -> None:
    first, second = submit("a"), submit("a")
    assert through(first).runs
    assert cut_off(held(first), "restart", "restart", HOUR, ALIAS)
    assert through(second).runs


@pytest.mark.parametrize("what", ["reaped", "taken"])
def test_who_lost_the_job_enters_no_lane(what: str) -> None:
    job_id = submit("a")
    taken = held(job_id)
    if what == "reaped":
        assert reap("restart", ALIAS, sole=True) == 1
    else:
        change(job_id, claim=2)
    rules = conf.LaneRules(per_lane=1, pause=timedelta())
    assert lanes.enter(taken, 0, "a", rules, ALIAS) == lanes.Answer(in_hand=False, lost=True)
    assert states(job_id) == ["pending"]
    assert not BatchTurn.objects.exists()


def test_entering_twice_is_entering_once() -> None:
    """When the answer to the first try was lost with the connection."""
    job_id = submit("a")
    assert through(job_id, lane_pause_seconds=60).runs
    assert through(job_id, lane_pause_seconds=60).runs
    assert states(job_id) == ["running"]


def test_many_who_come_at_once_get_in_one_by_one() -> None:
    job_ids = [submit("a") for _ in range(6)]
    for job_id in job_ids:
        held(job_id)
    answers = run_threads(6, lambda i: through(job_ids[i]))
    assert sorted(answer.runs for answer in answers) == [False] * 5 + [True]
    tickets = list(BatchTurn.objects.values_list("ticket", flat=True))
    assert sorted(tickets) == [1, 2, 3, 4, 5, 6]


@pytest.mark.only_on("postgres", "mariadb")
def test_a_new_lane_is_open_where_this_hosts_clock_is_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ahead = timezone.now() + HOUR
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    assert through(submit("a")).runs


def test_lanes_of_different_case_are_different() -> None:
    assert through(submit("a"), name="a").runs
    assert through(submit("a"), name="A").runs
    assert through(submit("a"), name="a ").runs
    assert through(submit("a"), name="ä").runs


def test_old_lanes_and_turns_of_nobody_are_swept_away() -> None:
    old, new, used = submit("a"), submit("a"), submit("a")
    for job_id, name in ((old, "old"), (new, "new"), (used, "used")):
        assert through(job_id, name=name).runs
    ended(old, name="old")
    ended(new, name="new")
    BatchLane.objects.exclude(name="new").update(opens_at=database.now(ALIAS) - 25 * HOUR)
    lost = submit("a")
    assert through(lost, name="new").runs
    change(lost, status="done", finished_at=database.now(ALIAS), claim_expires_at=None)
    lanes.sweep(ALIAS)
    assert set(BatchLane.objects.values_list("name", flat=True)) == {"new", "used"}
    assert [str(turn.job_id) for turn in BatchTurn.objects.all()] == [used]
