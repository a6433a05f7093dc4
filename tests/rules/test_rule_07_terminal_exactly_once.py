"""Rule 7: a job ends once, in the transaction that stores its last outcome."""

import threading
from typing import Any

import pytest
from django.db import DatabaseError, connections, transaction
from django.utils import timezone

from batch.models import BatchJob, BatchTarget
from batch.moves.record import Next
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.databases import ALIAS
from tests.rules.jobs import (
    HOUR,
    change,
    claim,
    drained,
    row,
    rows,
    states,
    store,
    submit,
    targets,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("contents", "status", "failed"),
    [
        (["a", "b", "c"], "done", 0),
        ([None, None, None], "failed", 3),
        (["a", None, "c"], "partial", 1),
        ([None, "b", "c"], "partial", 1),
        ([None, None, "c"], "partial", 2),
        (["a", "b", None], "partial", 1),
        (["a"], "done", 0),
        ([None], "failed", 1),
    ],
)
def test_the_outcomes_decide_how_a_job_ends(
    contents: list[str | None], status: str, failed: int
) -> None:
    job_id = submit(len(contents))
    taken = claim(job_id)
    answers = [store(taken, idx, content) for idx, content in enumerate(contents)]
    assert answers == [Next.GO_ON] * (len(contents) - 1) + [Next.ENDED]
    job = row(job_id)
    assert (job.status, job.error) == (status, "")
    assert (job.targets_done, job.targets_failed) == (len(contents), failed)


def test_a_job_ends_with_its_last_outcome_and_not_before() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    store(taken, 0)
    assert (row(job_id).status, row(job_id).finished_at) == ("running", None)
    store(taken, 1)
    assert row(job_id).finished_at == rows(job_id)[1].finished_at


@pytest.mark.django_db(transaction=True)
def test_nobody_sees_all_targets_stored_and_the_job_still_running() -> None:
    ended = threading.Event()
    torn: list[Any] = []

    def look() -> None:
        while not ended.is_set():
            # One statement, so one snapshot.
            found = BatchTarget.objects.filter(idx=0, job__targets_total=1).values_list(
                "status", "job__status", "job__targets_done"
            )
            torn.extend(
                one
                for one in found
                if one not in (("running", "running", 0), ("done", "done", 1))
                and one != ("pending", "running", 0)
            )
        connections.close_all()

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(30):
            drained(FakeFetch())
    finally:
        ended.set()
        looker.join()
    assert not torn


def test_an_outcome_is_stored_once() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    store(taken, 0, "first")
    before = (BatchJob.objects.values().get(), list(BatchTarget.objects.order_by("idx").values()))
    assert store(taken, 0, "again") is Next.LOST
    after = (BatchJob.objects.values().get(), list(BatchTarget.objects.order_by("idx").values()))
    assert after == before


def test_nothing_is_stored_out_of_turn() -> None:
    job_id = submit(3)
    taken = claim(job_id)
    assert store(taken, 1) is Next.LOST
    assert store(taken, 7) is Next.LOST
    assert states(job_id) == ["running", "pending", "pending"]
    assert row(job_id).targets_done == 0


@pytest.mark.parametrize("status", ["done", "failed", "partial"])
def test_nothing_is_stored_in_a_job_that_ended(status: str) -> None:
    job_id = submit(2)
    taken = claim(job_id)
    change(job_id, status=status, finished_at=timezone.now())
    assert store(taken, 0) is Next.LOST
    assert (row(job_id).status, row(job_id).targets_done) == (status, 0)


def test_nothing_is_stored_under_another_claim() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    change(job_id, claim=taken.number + 1)
    assert store(taken, 0) is Next.LOST
    assert states(job_id) == ["running", "pending"]


def test_a_cancel_before_the_last_outcome_wins() -> None:
    job_id = submit(1)
    taken = claim(job_id)
    assert Runner().cancel(job_id)
    finished = row(job_id).finished_at
    assert store(taken, 0) is Next.ENDED
    assert (row(job_id).status, row(job_id).finished_at) == ("cancelled", finished)


def test_a_cancel_after_the_last_outcome_loses() -> None:
    job_id = submit(1)
    store(claim(job_id), 0)
    finished = row(job_id).finished_at
    assert Runner().cancel(job_id) is False
    assert (row(job_id).status, row(job_id).finished_at) == ("done", finished)


def test_a_cancel_from_within_the_last_fetch_wins() -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        Runner().cancel(context.job_id)
        return Result("content")

    job_id = drained(fetch, 1)
    assert (row(job_id).status, states(job_id)) == ("cancelled", ["done"])


@pytest.mark.parametrize(
    "impossible",
    [
        {"status": "done"},
        {"status": "cancelled", "finished_at": None},
        {"finished_at": timezone.now()},
        {"status": "ended", "finished_at": timezone.now()},
        {"status": ""},
        {"targets_done": 3},
        {"targets_failed": 1},
        {"targets_done": 1, "targets_failed": 2},
    ],
)
def test_the_database_itself_refuses_an_impossible_job(impossible: dict[str, Any]) -> None:
    job_id = submit(2)
    with pytest.raises(DatabaseError), transaction.atomic(using=ALIAS):
        change(job_id, **impossible)


def test_the_database_itself_refuses_an_impossible_target() -> None:
    job_id = submit(2)
    with pytest.raises(DatabaseError), transaction.atomic(using=ALIAS):
        BatchTarget.objects.filter(job_id=job_id).update(status="lost")
    with pytest.raises(DatabaseError), transaction.atomic(using=ALIAS):
        BatchTarget.objects.create(job_id=job_id, idx=1, url="https://e.com/")


def test_a_job_with_a_row_that_somebody_spoiled_ends_all_the_same() -> None:
    runner_fetch = FakeFetch()
    job_id = submit(3)
    BatchTarget.objects.filter(job_id=job_id, idx=1).update(options=[1, 2])
    assert Runner(runner_fetch).drain(job_id)
    assert states(job_id) == ["done", "failed", "done"]
    assert row(job_id).status == "partial"


def test_a_job_whose_rows_somebody_removed_fails_and_harms_no_other() -> None:
    broken, other = submit(3), submit(1)
    BatchTarget.objects.filter(job_id=broken, idx__gte=1).delete()
    fetch = FakeFetch()
    Runner(fetch).drain(broken)
    job = row(broken)
    assert job.status == "failed"
    assert job.error
    assert (job.worker, job.claim_expires_at) == ("", None)
    assert Runner(fetch).drain(other)
    assert row(other).status == "done"


def test_a_job_without_any_row_fails_too() -> None:
    job_id = submit(3)
    BatchTarget.objects.filter(job_id=job_id).delete()
    Runner(FakeFetch()).drain(job_id)
    assert row(job_id).status == "failed"
    assert row(job_id).finished_at is not None


def test_counters_are_what_the_rows_say() -> None:
    given = targets(6)
    job_id = drained(FakeFetch(fail=[given[1].url, given[4].url]), given)
    done = BatchTarget.objects.filter(job_id=job_id, status__in=["done", "failed"]).count()
    failed = BatchTarget.objects.filter(job_id=job_id, status="failed").count()
    assert (row(job_id).targets_done, row(job_id).targets_failed) == (done, failed) == (6, 2)
    assert row(job_id).lease_expires_at > timezone.now() + HOUR
