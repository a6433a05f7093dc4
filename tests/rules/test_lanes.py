"""Targets of one lane run so many at a time, with pauses, over all jobs and workers."""

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import generate_latest

from batch import database, health
from batch.errors import FetchError
from batch.metrics.view import REGISTRY
from batch.models import BatchJob, BatchLane, BatchTurn
from batch.moves.end import reap
from batch.runner import Runner
from tests.concurrency import eventually
from tests.databases import ALIAS
from tests.rules.jobs import row, rows, states
from tests.rules.lanes import Visits, all_done, submit
from tests.rules.workers import working
from tests.unit.commands import run
from tests.unit.samples import samples

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def polite(settings: Any) -> Callable[..., None]:
    def put(**batch: Any) -> None:
        settings.BATCH = {"ISOLATION": "thread", "LANE": "tests.rules.lanes.lane", **batch}

    return put


def test_lanes_are_labels_alone_by_default(polite: Callable[..., None]) -> None:
    polite()
    fetch = Visits(together=2)
    with working(fetch, slots=3):
        for _ in range(3):
            submit("a")
        eventually(all_done)
    assert fetch.peak["a"] > 1
    assert not BatchLane.objects.exists()


@pytest.mark.parametrize("per_lane", [1, 2])
def test_so_many_targets_of_a_lane_run_at_a_time_over_all_workers(
    polite: Callable[..., None], per_lane: int
) -> None:
    polite(PER_LANE=per_lane)
    fetch = Visits(together=per_lane)
    with working(fetch, slots=3), working(fetch, slots=3):
        for _ in range(4):
            submit("a", "a", "a", "b")
        eventually(all_done, 30)
    assert fetch.peak["a"] == per_lane
    assert len(fetch.spans) == 16
    assert not BatchTurn.objects.exists()


def test_different_lanes_do_not_wait_for_each_other(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1)
    fetch = Visits(together=2)
    with working(fetch, slots=2):
        submit("a")
        submit("b")
        eventually(all_done)
    (_, begin, end), (_, other_begin, other_end) = fetch.spans
    assert max(begin, other_begin) < min(end, other_end)


def test_targets_without_a_lane_never_wait(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=60)
    fetch = Visits(together=2)
    with working(fetch, slots=2):
        submit("none", "none")
        submit("none", "none")
        eventually(all_done)
    assert fetch.peak[""] == 2


def test_a_job_that_waits_for_its_lane_is_told_of(polite: Callable[..., None]) -> None:
    polite(LANE_PAUSE_SECONDS=60)
    with working(Visits(), slots=1):
        job_id = submit("a", "a")
        eventually(lambda: health.look(ALIAS).at_lanes == 1)
        assert run("batch_health").out.endswith("0 of 1 slots busy, 1 job at lanes\n")
        assert samples(generate_latest(REGISTRY).decode())["batch_jobs_at_lanes",] == 1
        Runner().cancel(job_id)
        eventually(lambda: health.look(ALIAS).at_lanes == 0)


def test_a_pause_lies_between_targets_of_a_lane(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=0.25)
    fetch = Visits()
    with working(fetch, slots=2):
        submit("a", "b", "a")
        submit("a")
        eventually(all_done)
    assert len(fetch.gaps("a")) == 2
    assert min(fetch.gaps("a")) >= 0.25


def test_a_pause_holds_without_a_number_of_targets(polite: Callable[..., None]) -> None:
    polite(LANE_PAUSE_SECONDS=0.2)
    fetch = Visits(together=2)
    with working(fetch, slots=3):
        for _ in range(3):
            submit("a")
        eventually(all_done)
    begins = sorted(begin for _, begin, _ in fetch.spans)
    # They overlap. The pause is counted from the commit before the fetch, which takes a moment.
    assert all(later - begin > 0.15 for begin, later in itertools.pairwise(begins))
    assert fetch.peak["a"] > 1


def test_who_is_told_to_retry_later_delays_the_lane_for_all(
    polite: Callable[..., None],
) -> None:
    polite(PER_LANE=2)
    fetch = Visits()
    fetch.answers[0] = FetchError("too many", code="rate_limited", meta={"retry_after": 0.7})
    with working(fetch, slots=3):
        first = submit("a", "a")
        eventually(lambda: states(first) == ["failed", "pending"])
        submit("a")
        other = submit("b")
        eventually(lambda: row(other).status == "done", 0.6)
        eventually(lambda: BatchJob.objects.filter(status="done").count() == 2)
        eventually(lambda: row(first).status == "partial")
    assert fetch.gaps("a")[0] >= 0.7


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (99_999_999, 3600),
        (1e308, 3600),
        (-1, 0),
        ("soon", 0),
        (True, 0),
        (None, 0),
        (90.5, 90.5),
        (10**400, 3600),
    ],
)
def test_what_a_host_says_delays_its_lane_for_an_hour_at_most(
    polite: Callable[..., None], said: Any, seconds: float
) -> None:
    polite(PER_LANE=1)
    fetch = Visits(0)
    fetch.answers[0] = FetchError("no", code="rate_limited", meta={"retry_after": said})
    job_id = submit("a")
    assert Runner(fetch).drain(job_id)
    opens_at = BatchLane.objects.get(name="a").opens_at
    left = (opens_at - database.now(ALIAS)).total_seconds()
    assert seconds - 30 < left < seconds + 0.001


def test_a_job_that_waits_leaves_its_slot_to_others(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=1.5)
    fetch = Visits(0)
    with working(fetch, slots=1) as worker:
        waiting = submit("a", "a")
        eventually(lambda: states(waiting) == ["done", "pending"])
        eventually(lambda: not worker.busy)
        other = submit("b", "c")
        eventually(lambda: row(other).status == "done", 1)
        assert row(waiting).status == "running"
        assert row(waiting).worker == worker.name
        eventually(all_done)
    assert fetch.gaps("a")[0] >= 1.5


def test_a_target_that_waits_is_pending_and_its_job_cancelled_at_once(
    polite: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=30)
    fetch = Visits(0)
    with working(fetch, slots=1):
        job_id = submit("a", "a", "a")
        eventually(lambda: states(job_id) == ["done", "pending", "pending"])
        assert Runner().cancel(job_id)
        # Let go of, and so free to be retried and deleted.
        eventually(lambda: row(job_id).claim_expires_at is None, 5)
        assert states(job_id) == ["done", "pending", "pending"]
        assert not BatchTurn.objects.exists()
        Runner().delete(job_id)
    assert len(fetch.spans) == 1
    assert "claim_lost" not in caplog.messages


def test_a_job_that_is_taken_away_while_it_waits_is_told_of_as_lost(
    polite: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=30)
    fetch = Visits(0)
    with working(fetch, slots=1):
        job_id = submit("a", "a")
        eventually(lambda: states(job_id) == ["done", "pending"])
        assert reap("restart", ALIAS, sole=True) == 1
        eventually(lambda: "claim_lost" in caplog.messages)
    assert len(fetch.spans) == 1


def test_a_worker_that_stops_lets_its_waiting_jobs_end_too(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=0.5)
    fetch = Visits(0)
    with working(fetch, slots=1) as worker:
        job_id = submit("a", "a", "a")
        eventually(lambda: states(job_id)[0] == "done")
        worker.stop()
        eventually(all_done)
    assert worker.jobs_cut_off == 0


def test_a_worker_whose_grace_is_over_fails_its_waiting_jobs(
    polite: Callable[..., None],
) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=60)
    fetch = Visits(0)
    with working(fetch, slots=1, grace_seconds=0.2) as worker:
        job_id = submit("a", "a")
        eventually(lambda: states(job_id) == ["done", "pending"])
    assert (row(job_id).status, row(job_id).error) == ("failed", "restart")
    assert states(job_id) == ["done", "pending"]
    assert worker.jobs_cut_off == 1
    assert not BatchTurn.objects.exists()


def test_a_worker_that_ends_when_idle_waits_for_lanes(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=0.4)
    job_ids = [submit("a", "a"), submit("a")]
    with working(Visits(0), slots=2, exit_when_idle=True):
        eventually(all_done)
    assert [states(job_id) for job_id in job_ids] == [["done", "done"], ["done"]]


def test_a_claim_is_renewed_while_its_job_waits(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=2, CLAIM_SECONDS=0.8)
    with working(Visits(0), slots=1):
        job_id = submit("a", "a")
        eventually(all_done)
    assert states(job_id) == ["done", "done"]


def test_one_worker_takes_no_end_of_jobs_that_wait(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=60)
    with working(Visits(0), slots=1, grace_seconds=0):
        for _ in range(12):
            submit("a", "a")
        claimed = BatchJob.objects.filter(claim=1, status="running")
        eventually(lambda: claimed.count() == 8)
        time.sleep(0.3)
        assert claimed.count() == 8


def test_runner_drain_waits_in_its_own_thread(polite: Callable[..., None]) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=0.3)
    fetch = Visits(0)
    job_id = submit("a", "a")
    assert Runner(fetch).drain(job_id)
    assert states(job_id) == ["done", "done"]
    assert fetch.gaps("a")[0] >= 0.3


def test_while_a_target_waits_in_a_drain_of_its_own_no_child_is_held(
    polite: Callable[..., None],
) -> None:
    polite(PER_LANE=1, LANE_PAUSE_SECONDS=0.7, ISOLATION="process")
    job_id = submit("a", "a")
    assert Runner("tests.fetches.record").drain(job_id)
    first, second = (target.result["meta"]["pid"] for target in rows(job_id) if target.result)
    assert first != second
