"""A job is taken in hand, and kept there."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.db.models.functions import Coalesce

from batch import database
from batch.models import BatchJob, BatchTarget, JobStatus, TargetState

CANDIDATES = 8


@dataclass(frozen=True)
class Claim:
    """A job in hand: its number goes into every write of its drain.

    ``claimed_at`` is the database's time, from which the drain's own clock goes on.
    """

    job_id: uuid.UUID
    number: int
    caller: str
    caller_class: str
    targets_total: int
    claimed_at: datetime


def claim_next(worker: str, hold: timedelta, using: str) -> Claim | None:
    """Take the job that waits longest, or None when none waits.

    Two workers may see the same job; the conditional UPDATE lets one of them have it, and the
    other goes on to the next.
    """
    waiting = BatchJob.objects.using(using).claimable().values_list("id", flat=True)
    while candidates := list(waiting[:CANDIDATES]):
        for job_id in candidates:
            if claim := claim_job(job_id, worker, hold, using):
                return claim
    return None


def claim_job(job_id: uuid.UUID, worker: str, hold: timedelta, using: str) -> Claim | None:
    """Take this one job for ``hold``, or None when it is unknown, ended or taken.

    Its first target is marked running in the same transaction.
    """
    jobs = BatchJob.objects.using(using).filter(id=job_id)

    def work() -> Claim | None:
        now = database.now(using)
        taken = (
            jobs.claimable()
            .order_by()
            .update(
                worker=worker,
                claim=F("claim") + 1,
                claim_expires_at=now + hold,
                started_at=Coalesce("started_at", now),
            )
        )
        if not taken:
            return None
        BatchTarget.objects.using(using).filter(
            job_id=job_id, idx=0, status=TargetState.PENDING
        ).update(status=TargetState.RUNNING, started_at=now)
        job = jobs.values_list("id", "claim", "caller", "caller_class", "targets_total").get()
        return Claim(*job, claimed_at=now)

    return database.in_transaction(work, using)


def renew(
    job_ids: Collection[uuid.UUID], worker: str, now: datetime, hold: timedelta, using: str
) -> int:
    """Keep the jobs in this worker's hand for ``hold`` more; how many are still its own.

    A claim that ran out but was not taken is renewed as well: taking one empties ``worker``.
    """
    return (
        BatchJob.objects.using(using)
        .filter(id__in=job_ids, worker=worker)
        .filter(status__in=(JobStatus.RUNNING, JobStatus.CANCELLED))
        .filter(claim_expires_at__isnull=False)
        .update(claim_expires_at=now + hold)
    )
