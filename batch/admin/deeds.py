"""What the actions do to one job, each through the runner alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import ProtectedError, RestrictedError

from batch import database
from batch.admin.moments import shown_at
from batch.admin.refusals import ENDED, KEPT, PROTECTED
from batch.errors import BatchError, JobLiveError, UnknownJobError
from batch.models import LIVE, BatchJob
from batch.runner import Runner


@dataclass(frozen=True)
class Deed:
    """``do`` gives the id of the job that the doer should look at next, or raises a refusal.

    ``fits`` tells, of a job that was stamped with the page's moment, whether it would be done
    now. ``counts`` is how many of its targets it is about, which ``counted`` puts in words.
    """

    name: str
    verb: str
    past: str
    do: Callable[[str], str]
    promise: str
    fits: Callable[[BatchJob], bool]
    counts: Callable[[BatchJob], int]
    counted: str
    button: str
    removes: bool = False


class _LeftError(BatchError):
    """A job that the deed does not fit."""


def unfinished(job: BatchJob) -> int:
    return job.targets_total - (job.targets_done - job.targets_failed)


def _cancel(job_id: str) -> str:
    if not Runner().cancel(job_id):
        raise _LeftError(ENDED)
    return job_id


def _retry(job_id: str) -> str:
    return Runner().retry(job_id).id


def _delete(job_id: str) -> str:
    job = Runner().job(job_id)
    if job is None:
        raise UnknownJobError(job_id)
    if job.status in LIVE:
        raise JobLiveError(job_id)
    # Nothing makes the lease of a job that ended longer, so what has lapsed here stays so.
    lease = job.lease_expires_at
    if lease is not None and lease > database.now(database.alias()):
        raise _LeftError(KEPT)
    try:
        Runner().delete(job_id)
    except (ProtectedError, RestrictedError) as error:
        raise _LeftError(PROTECTED) from error
    return job_id


def _expired(job: BatchJob) -> bool:
    """As :meth:`batch.models.BatchJobQuerySet.expired` says, of a row that is at hand."""
    now = shown_at(job)
    in_hand = job.claim_expires_at is not None and job.claim_expires_at > now
    return job.status not in LIVE and not in_hand and job.lease_expires_at <= now


CANCEL = Deed(
    name="cancel_jobs",
    verb="cancel",
    past="Cancelled",
    do=_cancel,
    promise="A target in flight is still finished and stored; those after it are not fetched."
    " Results that are stored stay until the lease lapses.",
    fits=lambda job: job.status in LIVE,
    counts=unfinished,
    counted="not done",
    button="Cancel job",
)
RETRY = Deed(
    name="retry_jobs",
    verb="retry",
    past="Retried",
    do=_retry,
    promise="Each becomes a new job of the same caller, with the targets that failed or were not"
    " fetched. The limits on jobs and targets hold for it; the old job stays as it is.",
    fits=lambda job: job.status not in LIVE and bool(unfinished(job)),
    counts=unfinished,
    counted="not done",
    button="Retry job",
)
DELETE = Deed(
    name="delete_expired",
    verb="delete",
    past="Deleted",
    do=_delete,
    promise="Only jobs that have ended and whose lease has lapsed are deleted, with their targets"
    " and results, and for good. The others stay.",
    fits=_expired,
    counts=lambda job: job.targets_total,
    counted="and their results",
    button="Delete expired job",
    removes=True,
)
DEEDS = {deed.name: deed for deed in (CANCEL, RETRY, DELETE)}
