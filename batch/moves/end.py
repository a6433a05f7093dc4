"""A job ends before its last outcome: cancelled by its caller, or failed with its worker."""

from __future__ import annotations

import logging
import time
import uuid
from datetime import datetime, timedelta
from functools import partial

from django.db import DataError, IntegrityError, connections, transaction
from django.db.models import Case, F, Field, Q, Value, When

from batch import database
from batch.conf import settings
from batch.models import BatchJob, BatchJobQuerySet, BatchTarget, JobStatus, TargetState
from batch.moves.claim import Claim
from batch.moves.lanes import give_up
from batch.signals import claim_reaped, job_finished, send_on_commit, target_finished
from batch.text import clean

logger = logging.getLogger("batch")

RESTART = "restart"
HINT = "its worker stopped while it ran; retry the job to fetch the rest"
REAP_AT_ONCE = 200
WRITE_SECONDS = (0, 0.01, 0.05, 0.2, 0.5)  # pauses: no ordinary write holds a row for longer


def cancel(job_id: uuid.UUID, ttl: timedelta, using: str) -> bool:
    """Flip a live job to cancelled; False for one that is unknown or has ended.

    Its claim stays: the drain stores the target in flight, then lets go.
    """

    job = BatchJob.objects.using(using).filter(id=job_id)
    tried_at: list[datetime] = []

    def work() -> bool:
        now = database.now(using)
        ended = job.live().update(
            status=JobStatus.CANCELLED, finished_at=now, lease_expires_at=now + ttl
        )
        # An earlier try may have cancelled it, and only its answer was lost with the connection.
        before = job.filter(status=JobStatus.CANCELLED, finished_at__in=tried_at)
        tried_at.append(now)
        if not ended and not before.exists():
            return False
        _tell(job_id, JobStatus.CANCELLED, using)
        return True

    return database.in_transaction(work, using)


def reap(
    reason: str,
    using: str,
    *,
    now: datetime | None = None,
    sole: bool = False,
    ttl: timedelta | None = None,
) -> int:
    """Fail the jobs that nobody works on any more, and say how many.

    These are jobs whose claim ended before ``now`` (the database's clock), with ``sole`` every
    claimed job, and queued rows older than CLAIM_SECONDS. A cancelled one stays cancelled.
    """
    known = settings()
    reason = clean(reason)
    now = now or database.now(using)
    jobs = BatchJob.objects.using(using)
    stale = now - timedelta(seconds=known.claim_seconds)
    in_hand = jobs.claimed() if sole else jobs.lapsed(now)
    never_started = jobs.filter(status=JobStatus.QUEUED, created_at__lt=stale)
    count = 0
    for dead in (in_hand, never_started):
        # A statement that only reads may meet a conflict as well, where isolation is strict.
        while found := database.repeat(partial(_first, dead), using):
            # The same conditions stand in the UPDATE: a claim renewed meanwhile is left alone.
            taken = sum(
                _fail_or_log(
                    dead.filter(id=job_id, claim=claim),
                    job_id,
                    claim,
                    worker,
                    reason,
                    now,
                    ttl or known.ttl,
                    using,
                )
                for job_id, claim, worker in found
            )
            count += taken
            if not taken:
                break
    return count


def _first(jobs: BatchJobQuerySet) -> list[tuple[uuid.UUID, int, str]]:
    """The next of ``jobs``, but for those that a transaction holds for long: one of a frozen host
    would keep whoever reaps waiting, and with it the claims that it has to renew."""
    rows = jobs.values_list("id", "claim", "worker")
    found = list(rows[:REAP_AT_ONCE])
    if not found or not connections[jobs.db].features.has_select_for_update_skip_locked:
        return found
    for pause in WRITE_SECONDS:
        time.sleep(pause)
        with transaction.atomic(using=jobs.db):
            if free := list(rows.select_for_update(skip_locked=True)[:REAP_AT_ONCE]):
                return free
    return []


def _fail_or_log(
    job: BatchJobQuerySet,
    job_id: uuid.UUID,
    claim: int,
    worker: str,
    reason: str,
    now: datetime,
    ttl: timedelta,
    using: str,
) -> bool:
    """A row that was spoiled by hand is left; the dead jobs behind it are not."""
    try:
        taken = _fail(job, job_id, claim, reason, RESTART, now, ttl, using)
    except (IntegrityError, DataError):
        logger.exception("job_not_failed", extra={"job": str(job_id)})
        return False
    if taken and claim:  # a queued row was in nobody's hand
        send_on_commit(claim_reaped, using, job_id=str(job_id), worker=worker)
    return taken


def cut_off(claim: Claim, reason: str, code: str, ttl: timedelta, using: str) -> bool:
    """Fail a job that its own worker gives up; False if it is no longer in its hand.

    ``code`` is that of the target in flight, whose error is the job's ``reason``.
    """
    now = database.now(using)
    job = BatchJob.objects.using(using).claimed().filter(id=claim.job_id, claim=claim.number)
    return _fail(job, claim.job_id, claim.number, reason, code, now, ttl, using)


def _fail(
    job: BatchJobQuerySet,
    job_id: uuid.UUID,
    claim: int,
    reason: str,
    code: str,
    now: datetime,
    ttl: timedelta,
    using: str,
) -> bool:
    """Take the one job that ``job`` selects from its worker: raise the claim number, fail its
    target in flight and, unless it was cancelled, the job."""

    tries = 0

    def work() -> bool:
        nonlocal tries
        tries += 1
        taken = job.update(
            claim=claim + 1,
            claim_expires_at=None,
            worker="",
            lease_expires_at=now + ttl,
            error=_if_live("error", reason),
            finished_at=_if_live("finished_at", now),
            status=_if_live("status", JobStatus.FAILED),
        )
        row = BatchJob.objects.using(using).filter(id=job_id, claim=claim + 1)
        targets = BatchTarget.objects.using(using).filter(job_id=job_id)
        if not taken:
            # An earlier try may have taken it, and only its answer was lost with the connection:
            # its moment stands in the row. Nobody was told yet.
            if tries == 1 or not row.filter(lease_expires_at=now + ttl).exists():
                return False
            cut_short = targets.filter(status=TargetState.FAILED, code=code, finished_at=now)
            _tell_failed(job_id, list(cut_short.values_list("idx", flat=True)), row, using)
            return True
        give_up(job_id, using)
        in_flight = targets.filter(status=TargetState.RUNNING)
        indexes = list(in_flight.values_list("idx", flat=True))
        for idx in indexes:
            in_flight.filter(idx=idx).update(
                status=TargetState.FAILED,
                error=reason,
                hint=HINT,
                code=code,
                finished_at=now,
            )
            # Rows that somebody spoiled by hand must not keep a dead job in its cap slot.
            row.filter(targets_done__lt=F("targets_total")).update(
                targets_done=F("targets_done") + 1, targets_failed=F("targets_failed") + 1
            )
        _tell_failed(job_id, indexes, row, using)
        return True

    return database.in_transaction(work, using)


def _if_live(name: str, value: object) -> Case:
    """``value``, but the field's own in a job that was cancelled."""
    column: Field = BatchJob._meta.get_field(name)  # type: ignore[assignment]
    return Case(
        When(~Q(status=JobStatus.CANCELLED), then=Value(value, output_field=column)),
        default=F(name),
        output_field=column,
    )


def _tell_failed(job_id: uuid.UUID, indexes: list[int], row: BatchJobQuerySet, using: str) -> None:
    for idx in indexes:
        send_on_commit(
            target_finished, using, job_id=str(job_id), idx=idx, status=TargetState.FAILED
        )
    if row.filter(status=JobStatus.FAILED).exists():
        _tell(job_id, JobStatus.FAILED, using)


def _tell(job_id: uuid.UUID, status: JobStatus, using: str) -> None:
    send_on_commit(job_finished, using, job_id=str(job_id), status=str(status))
