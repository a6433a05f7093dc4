"""Moves of the same rows at the same moment: one wins, none is lost, nothing deadlocks."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError

from batch.errors import BatchError
from batch.models import BatchJob
from batch.moves.record import Next
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Config
from tests.concurrency import rounds, run_threads
from tests.connection import connection
from tests.faults.test_caps_under_races import many_callers, one_caller
from tests.rules.jobs import HOUR, ROOMY, claim, row, states, store, submit, targets, terminal
from tests.rules.test_delete_and_purge import expired

pytestmark = pytest.mark.django_db(transaction=True)


def cancel_against_the_last_outcome(times: int) -> None:
    wins = {"cancelled": 0, "done": 0}
    for _ in range(times):
        job_id = submit(1)
        taken = claim(job_id)
        pauses = [random.uniform(0, 0.004) for _ in range(2)]

        def move(i: int, job_id: str = job_id, taken: Any = taken, pauses: Any = pauses) -> Any:
            time.sleep(pauses[i])
            return Runner().cancel(job_id) if i else store(taken, 0)

        stored, cancelled = run_threads(2, move)
        assert stored is Next.ENDED
        job = row(job_id)
        assert job.status == ("cancelled" if cancelled else "done")
        assert (job.worker, job.claim_expires_at, job.targets_done) == ("", None, 1)
        assert states(job_id) == ["done"]
        wins[job.status] += 1
        assert Runner().cancel(job_id) is False
        BatchJob.objects.all().delete()
    assert sum(wins.values()) == times


def test_a_cancel_and_the_last_outcome_cannot_both_win() -> None:
    cancel_against_the_last_outcome(15)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_cancel_and_the_last_outcome_cannot_both_win_in_many_rounds() -> None:
    cancel_against_the_last_outcome(rounds(200))


def test_a_reaper_and_an_outcome_cannot_both_win() -> None:
    for _ in range(10):
        job_id = submit(2)
        taken = claim(job_id, -HOUR)

        def move(i: int, taken: Any = taken) -> Any:
            return Runner().mark_in_flight_failed("restart") if i else store(taken, 0)

        stored, reaped = run_threads(2, move)
        # Either the outcome came first and then the next target was failed, or it came too late.
        assert reaped == 1
        expected = ["failed", "pending"] if stored is Next.LOST else ["done", "failed"]
        assert (row(job_id).status, states(job_id)) == ("failed", expected)


def test_of_many_reapers_one_fails_the_job() -> None:
    job_id = submit(2)
    claim(job_id, -HOUR)
    answers = run_threads(6, lambda i: Runner().mark_in_flight_failed("restart"))
    assert sorted(answers) == [0] * 5 + [1]
    assert (row(job_id).targets_done, row(job_id).targets_failed) == (1, 1)


def test_of_many_drains_one_has_the_job() -> None:
    job_id = submit(3)
    fetch = FakeFetch(seconds=0.01)
    answers = run_threads(6, lambda i: Runner(fetch).drain(job_id))
    assert sorted(answers) == [False] * 5 + [True]
    assert len(fetch.calls) == 3


def deadlocks() -> int:
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        # Counters of other sessions come with their end, or with their next flush.
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def everything_at_once(seconds: float) -> None:
    before = deadlocks()
    ends = time.monotonic() + seconds
    ids = [submit(4) for _ in range(6)]
    lock = threading.Lock()
    runner = Runner(FakeFetch(), ROOMY)

    def some() -> str:
        with lock:
            return random.choice(ids)

    def again() -> None:
        job_id = runner.submit("ann", "", targets(3)).id
        with lock:
            ids[random.randrange(len(ids))] = job_id

    def expire_and_purge() -> None:
        # Made by hand, so nobody repeats what another thread came between.
        with suppress(OperationalError, AssertionError):
            expired()
        runner.purge()

    moves: list[Callable[[], Any]] = [
        again,
        lambda: runner.drain(some()),
        lambda: runner.drain(some()),
        lambda: runner.cancel(some()),
        lambda: runner.retry(some()),
        lambda: runner.delete(some()),
        lambda: runner.mark_in_flight_failed("restart", sole=True),
        expire_and_purge,
    ]

    def move(i: int) -> int:
        count = 0
        while time.monotonic() < ends:
            with suppress(BatchError):
                moves[i]()
            count += 1
            # SQLite hands its one lock to whoever asks first, so somebody has to pause.
            time.sleep(0.002)
        return count

    answers = run_threads(len(moves), move, seconds + 60)
    assert not [one for one in answers if not isinstance(one, int) or not one], answers[-3:]
    assert deadlocks() == before
    for job in BatchJob.objects.all():
        found = states(str(job.id))
        assert len(found) == job.targets_total
        assert sum(state in ("done", "failed") for state in found) == job.targets_done
        assert found.count("failed") == job.targets_failed


def test_all_moves_at_once_lead_to_no_deadlock_and_no_error() -> None:
    everything_at_once(2)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_all_moves_at_once_for_long_lead_to_no_deadlock_and_no_error() -> None:
    everything_at_once(rounds(60))


@pytest.fixture
def isolation_level(request: Any, monkeypatch: Any) -> Iterator[str]:
    """Every connection that is opened from now on works at this level."""
    level: str = request.param
    options = dict(connection.settings_dict["OPTIONS"])
    if connection.vendor == "postgresql":
        options["options"] = f"-c default_transaction_isolation={level.replace(' ', chr(92) + ' ')}"
    else:
        options["isolation_level"] = level
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    connection.close()
    yield level
    connection.close()


@pytest.mark.only_on("postgres", "mariadb")
# The one takes no options when a connection begins, the other has connections from before.
@pytest.mark.not_with("pgbouncer", "pool")
@pytest.mark.parametrize("isolation_level", ["repeatable read", "serializable"], indirect=True)
class TestStricterIsolation:
    """A host project may have chosen another isolation level for its transactions."""

    def test_the_level_is_in_force(self, isolation_level: str) -> None:
        sql = {
            "postgresql": "SHOW transaction_isolation",
            "mysql": "SELECT REPLACE(@@tx_isolation, '-', ' ')",
        }
        with connection.cursor() as cursor:
            cursor.execute(sql[connection.vendor])
            assert cursor.fetchone()[0].lower() == isolation_level

    def test_the_caps_hold_and_no_error_but_the_typed_ones_is_met(
        self, isolation_level: str
    ) -> None:
        many_callers()
        BatchJob.objects.all().delete()
        one_caller()

    def test_alike_submits_give_one_job(self, isolation_level: str) -> None:
        given = targets(2)
        answers = run_threads(12, lambda i: Runner().submit("ann", "", given))
        assert sorted(answer.reused for answer in answers) == [False] + [True] * 11

    def test_a_cancel_is_seen_by_the_drain(self, isolation_level: str) -> None:
        fetch = FakeFetch()

        def cancelling(context: Any, target: Any) -> Any:
            run_threads(1, lambda i: Runner().cancel(context.job_id))
            return fetch(context, target)

        job_id = submit(5)
        assert Runner(cancelling).drain(job_id)
        assert states(job_id) == ["done"] + ["pending"] * 4

    def test_all_moves_at_once_meet_no_error(self, isolation_level: str) -> None:
        everything_at_once(2)

    def test_jobs_are_drained_side_by_side(self, isolation_level: str) -> None:
        ids = [submit(5) for _ in range(6)]
        run_threads(6, lambda i: Runner(FakeFetch()).drain(ids[i]))
        assert {row(job_id).status for job_id in ids} == {"done"}
        assert terminal("partial")
        assert Runner(config=Config(jobs_total=1)).submit("bob", "", targets())
