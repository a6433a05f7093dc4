"""Rows go: by their caller's wish, or when their lease has lapsed; live ones never."""

from contextlib import suppress
from typing import Any

import pytest
from django.db.models import ProtectedError
from django.db.models.signals import pre_delete
from django.utils import timezone

from batch import worker
from batch.errors import JobLiveError, UnknownJobError
from batch.models import BatchJob, BatchTarget
from batch.moves import remove
from batch.moves.claim import renew
from batch.moves.record import Next
from batch.runner import Runner
from batch.testing import FakeFetch
from tests.concurrency import eventually, run_threads
from tests.databases import ALIAS
from tests.rules.accidents import Died, death_after_one_transaction
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    change,
    claim,
    lapse,
    rows,
    store,
    submit,
    targets,
    terminal,
)
from tests.rules.workers import working

pytestmark = pytest.mark.django_db


def expired(status: str = "done", caller: str = "ann") -> str:
    job_id = terminal(status, caller)
    lapse(job_id)
    change(job_id, finished_at=timezone.now() - HOUR)
    return job_id


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_a_job_that_ended_can_be_deleted_before_its_lease(status: str) -> None:
    job_id, other = terminal(status), terminal("done")
    Runner().delete(job_id)
    assert Runner().status(job_id) is None
    assert not rows(job_id)
    assert len(rows(other)) == 2


@pytest.mark.parametrize("taken", [False, True])
def test_a_live_job_cannot_be_deleted(taken: bool) -> None:
    job_id = submit(2)
    if taken:
        claim(job_id)
    lapse(job_id)
    with pytest.raises(JobLiveError):
        Runner().delete(job_id)
    assert len(rows(job_id)) == 2


def test_after_a_delete_the_same_targets_make_a_fresh_job() -> None:
    given = targets()
    first = Runner().submit("ann", "", given).id
    Runner().cancel(first)
    Runner().delete(first)
    assert not Runner().submit("ann", "", given).reused


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_expired_jobs_are_purged(status: str) -> None:
    job_id, kept = expired(status), terminal(status)
    assert Runner().purge() == 1
    assert Runner().status(job_id) is None
    assert Runner().status(kept) is not None
    assert BatchTarget.objects.count() == 2


@pytest.mark.parametrize("status", ["queued", "running"])
def test_live_jobs_are_never_purged_whatever_their_lease_says(status: str) -> None:
    job_id = submit()
    change(job_id, status=status, created_at=timezone.now() - 1000 * HOUR)
    lapse(job_id)
    assert Runner().purge() == 0
    assert Runner().status(job_id) is not None


def test_a_dry_run_only_counts() -> None:
    ids = [expired(), expired("cancelled")]
    assert Runner().purge(dry_run=True) == 2
    assert BatchJob.objects.filter(id__in=ids).count() == 2


def test_a_purge_with_nothing_to_do_says_none() -> None:
    submit()
    assert Runner().purge() == 0


def test_jobs_larger_than_a_transaction_of_the_purge_go_whole() -> None:
    job_id = expired()
    total = 2 * remove.TARGETS_AT_ONCE + 5
    BatchTarget.objects.bulk_create(
        BatchTarget(job_id=job_id, idx=idx, url="https://e.com/", status="done")
        for idx in range(2, total)
    )
    change(job_id, targets_total=total, targets_done=total)
    assert Runner().purge() == 1
    assert not BatchTarget.objects.exists()


def half_deleted(job_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of two targets, as it is when the process dies that removes it."""
    monkeypatch.setattr(remove, "TARGETS_AT_ONCE", 1)
    with death_after_one_transaction(), pytest.raises(Died):
        Runner().delete(job_id)
    assert len(rows(job_id)) == 1


def test_what_is_half_deleted_is_given_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    given = targets(2)
    job_id = Runner().submit("ann", "", given).id
    Runner().cancel(job_id)
    half_deleted(job_id, monkeypatch)
    assert not Runner().submit("ann", "", given).reused
    with pytest.raises(UnknownJobError):
        Runner(config=ROOMY).retry(job_id)


def test_what_is_half_deleted_is_purged(monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = terminal("done")
    half_deleted(job_id, monkeypatch)
    assert Runner().purge() == 1
    assert not BatchJob.objects.exists()


def test_what_is_half_deleted_is_no_workers_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = submit(2)
    taken = claim(job_id, hold=-HOUR)
    Runner().cancel(job_id)
    half_deleted(job_id, monkeypatch)
    assert renew([taken.job_id], "host:1:aa", timezone.now(), HOUR, ALIAS) == 0
    assert store(taken, 0) is Next.LOST
    Runner().delete(job_id)
    assert Runner().status(job_id) is None


def test_more_jobs_than_are_read_at_once_go_in_one_purge() -> None:
    count = 2 * remove.JOBS_AT_ONCE + 3
    past = timezone.now() - HOUR
    BatchJob.objects.bulk_create(
        BatchJob(
            caller="ann",
            idem_key=str(i),
            status="done",
            finished_at=past,
            lease_expires_at=past,
        )
        for i in range(count)
    )
    kept = terminal("done")
    assert Runner().purge() == count
    assert str(BatchJob.objects.get().id) == kept


@pytest.mark.django_db(transaction=True)
def test_purges_at_the_same_time_share_the_work() -> None:
    for i in range(6):
        expired(caller=f"caller {i}")
    answers = run_threads(4, lambda i: Runner().purge())
    assert sum(answers) == 6, answers
    assert not BatchTarget.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_has_not_purged_all_goes_on_with_it_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job_ids = [expired(caller=f"caller {i}") for i in range(5)]
    monkeypatch.setattr(remove, "JOBS_AT_ONCE", 1)
    monkeypatch.setattr(worker, "PURGE_SECONDS", 0)
    monkeypatch.setattr(worker, "PURGE_AGAIN_SECONDS", 0.05)
    with working(FakeFetch()) as idle:
        idle._purge_at = 0.0
        eventually(lambda: not BatchJob.objects.filter(id__in=job_ids).exists())


def test_a_purge_goes_on_where_another_was_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remove, "JOBS_AT_ONCE", 2)
    job_ids = [expired() for _ in range(5)]
    removed, done = remove._removed, False

    def slow(*args: Any) -> int:
        nonlocal done
        if not done:
            done = True
            assert removed(*args) == 2  # by the other one, which this one waited for
            return 0
        return removed(*args)

    monkeypatch.setattr(remove, "_removed", slow)
    assert Runner().purge() == 3
    assert not BatchJob.objects.filter(id__in=job_ids).exists()


@pytest.mark.django_db(transaction=True)
def test_a_delete_and_a_purge_at_the_same_time_harm_nothing() -> None:
    ids = [expired(caller=f"caller {i}") for i in range(6)]

    def one_of_them(i: int) -> Any:
        if i:
            return Runner().purge()
        for job_id in ids:
            with suppress(UnknownJobError):
                Runner().delete(job_id)
        return None

    answers = run_threads(3, one_of_them)
    assert not [answer for answer in answers if isinstance(answer, BaseException)], answers
    assert not BatchJob.objects.exists()


def test_a_job_that_the_host_keeps_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    kept, *others = [expired(caller=f"c{n}") for n in range(4)]

    def refuse(sender: Any, instance: BatchJob, **_: Any) -> None:
        if str(instance.id) == kept:
            raise ProtectedError("an invoice refers to it", {instance})

    pre_delete.connect(refuse, sender=BatchJob)
    try:
        assert Runner().purge() == 3
    finally:
        pre_delete.disconnect(refuse, sender=BatchJob)
    assert Runner().status(kept) is not None
    assert not any(Runner().status(other) for other in others)
    (told,) = [r for r in caplog.records if r.getMessage() == "job_not_purged"]
    assert told.job == kept
    assert "ProtectedError" in told.error
