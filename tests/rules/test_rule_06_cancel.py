"""Rule 6: a cancel ends a job at once; its target in flight is stored, later ones are not begun."""

import threading
from typing import Any

import pytest
from django.utils import timezone

from batch.errors import JobLiveError
from batch.models import BatchJob
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.concurrency import run_threads
from tests.processes import Processes
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    change,
    claim,
    drained,
    lapse,
    row,
    rows,
    states,
    store,
    submit,
    terminal,
)

pytestmark = pytest.mark.django_db

ODD_IDS: list[Any] = [
    "",
    " ",
    "nonsense",
    "00000000-0000-7000-8000-000000000000",
    "0" * 100_000,
    "\0",
    "\ud800",
    "1",
    "../../etc/passwd",
    "' OR 1=1 --",
    "{}",
    "urn:uuid:",
    "\N{ARABIC-INDIC DIGIT ZERO}" * 32,
    "f" * 33,
    "None",
    None,
    1,
    b"\xff",
]


def test_a_cancel_takes_effect_at_once() -> None:
    job_id = submit(3)
    assert Runner().cancel(job_id) is True
    job = row(job_id)
    assert (job.status, job.error) == ("cancelled", "")
    assert job.finished_at is not None
    assert states(job_id) == ["pending"] * 3


def test_a_second_cancel_changes_nothing_and_says_so() -> None:
    job_id = submit()
    Runner().cancel(job_id)
    before = BatchJob.objects.values().get()
    assert Runner().cancel(job_id) is False
    assert BatchJob.objects.values().get() == before


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_a_job_that_ended_cannot_be_cancelled(status: str) -> None:
    job_id = terminal(status)
    before = BatchJob.objects.values().get()
    assert Runner().cancel(job_id) is False
    assert BatchJob.objects.values().get() == before


@pytest.mark.parametrize("odd", ODD_IDS)
def test_no_text_for_an_id_is_an_error_for_a_cancel_or_a_look(odd: Any) -> None:
    assert Runner().cancel(odd) is False
    assert Runner().status(odd) is None
    assert Runner(FakeFetch()).drain(odd) is False


def test_a_queued_row_can_be_cancelled() -> None:
    job_id = submit()
    change(job_id, status="queued")
    assert Runner().cancel(job_id)
    assert row(job_id).status == "cancelled"


def test_a_cancelled_job_that_waited_is_never_taken() -> None:
    fetch = FakeFetch()
    job_id = submit()
    Runner().cancel(job_id)
    assert Runner(fetch).drain(job_id) is False
    assert not fetch.calls


def test_a_cancel_during_a_target_lets_it_end_and_stops_before_the_next() -> None:
    fetched: list[int] = []

    def fetch(context: FetchContext, target: Target) -> Result:
        fetched.append(context.idx)
        if context.idx == 1:
            assert Runner().cancel(context.job_id)
        return Result(f"content {context.idx}")

    job_id = drained(fetch, 5)
    assert fetched == [0, 1]
    assert states(job_id) == ["done", "done", "pending", "pending", "pending"]
    job = row(job_id)
    assert (job.status, job.targets_done, job.targets_failed) == ("cancelled", 2, 0)
    assert (job.worker, job.claim_expires_at) == ("", None)
    found = Runner().status(job_id)
    assert found is not None
    assert [target.result and target.result.content for target in found[1]] == [
        "content 0",
        "content 1",
        None,
        None,
        None,
    ]


@pytest.mark.django_db(transaction=True)
def test_a_cancel_from_another_connection_is_seen_too() -> None:
    fetch = FakeFetch()

    def cancelling(context: FetchContext, target: Target) -> Result:
        run_threads(1, lambda i: Runner().cancel(context.job_id))
        return fetch(context, target)

    job_id = drained(cancelling, 5)
    assert len(fetch.calls) == 1
    assert states(job_id) == ["done"] + ["pending"] * 4


@pytest.mark.django_db(transaction=True)
def test_a_cancel_from_another_process_is_seen_too(processes: Processes) -> None:
    fetch = FakeFetch()

    def cancelling(context: FetchContext, target: Target) -> Result:
        process = processes.manage("batch_cancel", context.job_id)
        assert process.wait() == 0, process.err
        return fetch(context, target)

    job_id = drained(cancelling, 3)
    assert len(fetch.calls) == 1
    assert row(job_id).status == "cancelled"


def test_the_end_of_the_target_in_flight_does_not_move_the_end_of_the_job() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    Runner().cancel(job_id)
    before = row(job_id).finished_at
    store(taken, 0, None)
    assert row(job_id).finished_at == before
    assert row(job_id).targets_failed == 1


def test_the_last_target_of_a_cancelled_job_leaves_it_cancelled() -> None:
    job_id = submit(1)
    taken = claim(job_id)
    Runner().cancel(job_id)
    store(taken, 0)
    assert (row(job_id).status, row(job_id).targets_done) == ("cancelled", 1)


def in_hand(hold: Any = HOUR) -> str:
    """A cancelled job whose worker has its first target in hand."""
    job_id = submit(3)
    claim(job_id, hold)
    assert Runner().cancel(job_id)
    return job_id


def test_a_cancelled_job_in_hand_is_live_for_retry_delete_and_purge() -> None:
    job_id = in_hand()
    lapse(job_id)
    change(job_id, finished_at=timezone.now() - HOUR)
    with pytest.raises(JobLiveError):
        Runner(config=ROOMY).retry(job_id)
    with pytest.raises(JobLiveError):
        Runner().delete(job_id)
    assert Runner().purge(dry_run=True) == 0
    assert Runner().purge() == 0
    assert states(job_id) == ["running", "pending", "pending"]


def test_once_its_worker_let_go_it_can_be_retried_and_deleted() -> None:
    job_id = submit(3)
    taken = claim(job_id)
    Runner().cancel(job_id)
    store(taken, 0)
    again = Runner(config=ROOMY).retry(job_id).id
    assert [target.url for target in rows(again)] == [target.url for target in rows(job_id)[1:]]
    Runner().delete(job_id)
    assert Runner().status(job_id) is None


def test_once_its_claim_ran_out_it_can_be_retried_with_the_target_that_was_in_flight() -> None:
    job_id = in_hand(-HOUR)
    again = Runner(config=ROOMY).retry(job_id).id
    assert [target.url for target in rows(again)] == [target.url for target in rows(job_id)]


def test_once_its_claim_ran_out_it_can_be_deleted() -> None:
    job_id = in_hand(-HOUR)
    Runner().delete(job_id)
    assert Runner().status(job_id) is None


def test_once_its_claim_ran_out_it_is_purged_after_its_lease() -> None:
    job_id = in_hand(-HOUR)
    lapse(job_id)
    change(job_id, finished_at=timezone.now() - HOUR)
    assert Runner().purge(dry_run=True) == 1
    assert Runner().purge() == 1
    assert Runner().status(job_id) is None


def test_stored_outcomes_of_a_cancelled_job_are_kept_for_the_lease() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    store(taken, 0)
    Runner().cancel(job_id)
    store(taken, 1)
    assert Runner().purge() == 0
    found = Runner().status(job_id)
    assert found is not None
    assert [target.status for target in found[1]] == ["done", "done"]


@pytest.mark.django_db(transaction=True)
def test_of_many_cancels_at_once_one_wins() -> None:
    job_id = submit()
    before = threading.active_count()
    answers = run_threads(8, lambda i: Runner().cancel(job_id))
    assert sorted(answers) == [False] * 7 + [True]
    assert threading.active_count() <= before
