"""A commit succeeds, and its answer is lost with the connection."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.utils import OperationalError, ProgrammingError
from psycopg.errors import InvalidSqlStatementName

from batch import drain
from batch.models import BatchJob
from batch.moves import writes
from batch.moves.claim import claim_job
from batch.moves.record import Next, record
from batch.runner import Runner
from batch.signals import job_finished, target_finished
from batch.testing import FakeFetch
from tests.databases import ALIAS
from tests.rules.accidents import LOST, answer_lost
from tests.rules.jobs import HOUR, claim, row, states, store, submit, targets, terminal

pytestmark = pytest.mark.django_db(transaction=True)
announced: list[str] = []


def announce(job_id: str) -> None:
    """What the setting DISPATCH names here."""
    announced.append(job_id)


@pytest.mark.parametrize("idx", [0, 1, 2])
def test_an_outcome_whose_answer_was_lost_counts_as_stored(
    idx: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[int] = []

    def losing(entry: Any, using: str) -> Next:
        answer = record(entry, using)
        if entry.idx == idx and not lost:
            lost.append(idx)
            raise OperationalError(LOST)
        return answer

    told: list[str] = []

    def hear(sender: Any, **what: Any) -> None:
        told.append(what["status"])

    target_finished.connect(hear)
    job_finished.connect(hear)
    monkeypatch.setattr(drain, "record", losing)
    fetch = FakeFetch()
    job_id = submit(3)
    try:
        assert Runner(fetch).drain(job_id)
    finally:
        target_finished.disconnect(hear)
        job_finished.disconnect(hear)
    assert lost == [idx]
    assert states(job_id) == ["done"] * 3
    assert row(job_id).status == "done"
    assert len(fetch.urls) == 3
    assert told.count("done") >= 4


def test_a_cancel_before_the_answer_was_asked_for_again_leaves_the_target_in_flight_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost: list[int] = []

    def losing(entry: Any, using: str) -> Next:
        answer = record(entry, using)
        if not lost:
            lost.append(entry.idx)
            assert Runner().cancel(str(entry.job_id))
            raise OperationalError(LOST)
        return answer

    monkeypatch.setattr(drain, "record", losing)
    fetch = FakeFetch()
    job_id = submit(3)
    assert Runner(fetch).drain(job_id)
    assert states(job_id) == ["done", "done", "pending"]
    assert (row(job_id).status, row(job_id).targets_failed, len(fetch.urls)) == ("cancelled", 0, 2)


def test_a_claim_whose_answer_was_lost_is_in_hand() -> None:
    job_id = submit(1)
    with answer_lost():
        taken = claim_job(row(job_id).id, "host:1:aa", HOUR, ALIAS)
    assert taken is not None
    assert claim_job(row(job_id).id, "host:1:aa", HOUR, ALIAS) is None
    assert store(taken, 0) is Next.ENDED


def test_a_claim_that_another_worker_won_is_not_taken_for_an_own_one() -> None:
    job_id = submit(1)
    waiting = row(job_id)

    def loses_then_tries_again(worker: str) -> Any:
        with answer_lost():
            return claim_job(waiting.id, worker, HOUR, ALIAS)

    assert loses_then_tries_again("host:1:aa") is not None
    assert loses_then_tries_again("host:2:bb") is None
    assert row(job_id).worker == "host:1:aa"


def test_a_submit_whose_answer_was_lost_is_fresh_and_announced(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    announced.clear()
    with answer_lost():
        submission = Runner().submit("ann", "", targets())
    assert not submission.reused
    assert announced == [submission.id]
    assert str(BatchJob.objects.get().id) == submission.id


def test_a_retry_whose_answer_was_lost_makes_one_job(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    ended = terminal("failed")
    announced.clear()
    with answer_lost():
        again = Runner().retry(ended)
    assert announced == [again.id]
    assert {str(job.id) for job in BatchJob.objects.all()} == {ended, again.id}


@pytest.fixture(name="told")
def heard() -> Iterator[list[str]]:
    """What the signals said: of which target or of the job, and its status."""
    told: list[str] = []

    def hear(sender: Any, **what: Any) -> None:
        told.append(f"{what.get('idx', 'job')} {what['status']}")

    for signal in (target_finished, job_finished):
        signal.connect(hear)
    yield told
    for signal in (target_finished, job_finished):
        signal.disconnect(hear)


def test_a_cancel_whose_answer_was_lost_has_cancelled(told: list[str]) -> None:
    job_id = submit(2)
    with answer_lost():
        assert Runner().cancel(job_id) is True
    assert row(job_id).status == "cancelled"
    assert told == ["job cancelled"]


def test_a_cancel_of_a_job_that_another_cancelled_has_not(told: list[str]) -> None:
    job_id = submit(2)
    assert Runner().cancel(job_id)
    with answer_lost():
        assert Runner().cancel(job_id) is False
    assert told == ["job cancelled"]


def test_a_reap_whose_answer_was_lost_counts_and_is_told_of(told: list[str]) -> None:
    ids = [submit(2), submit(2)]
    for job_id in ids:
        claim(job_id, -HOUR)
    with answer_lost():
        assert Runner().mark_in_flight_failed("restart") == 2
    assert sorted(told) == sorted(["0 failed", "job failed"] * 2)
    for job_id in ids:
        assert (row(job_id).status, states(job_id)) == ("failed", ["failed", "pending"])
        assert (row(job_id).targets_done, row(job_id).claim) == (1, 2)
    assert Runner().mark_in_flight_failed("restart") == 0


@pytest.mark.only_on("postgres")
@pytest.mark.not_with("pgbouncer")
def test_a_claim_that_a_pooler_nobody_told_of_answers_with_an_error_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An older libpq drops a statement after the next one ran: elsewhere, behind the pooler."""
    monkeypatch.setattr(writes, "_unprepared", set())
    prepared = writes._prepared

    def elsewhere(*args: Any) -> int:
        prepared(*args)
        raise ProgrammingError("no such statement") from InvalidSqlStatementName()

    monkeypatch.setattr(writes, "_prepared", elsewhere)
    job_id = submit(1)
    assert Runner(FakeFetch()).drain(job_id)
    assert row(job_id).status == "done"
