"""A job comes to be: by a submit, or by a retry of one that ended."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connections

from batch import database
from batch.canonical import idem_key
from batch.conf import Caps
from batch.errors import (
    CallerBusyError,
    JobLiveError,
    JobsBusyError,
    NothingToRetryError,
    TooManyTargetsError,
    UnknownJobError,
)
from batch.fields import text_hash
from batch.ids import new_id
from batch.models import BatchJob, BatchTarget, JobStatus, TargetState
from batch.moves import gate
from batch.moves.end import RESTART, reap
from batch.parsing import parse_targets
from batch.signals import job_submitted, send_on_commit
from batch.words import Submission, Target

ROWS_AT_ONCE = 1000


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to become a job."""

    caller: str
    caller_class: str
    targets: Sequence[Target]
    caps: Caps
    ttl: timedelta
    lane: Callable[[Target], str]


def leased_job(caller: str, key: str, using: str) -> Submission | None:
    """The newest job of these targets that is still kept, in any status."""
    now = database.now(using)
    job = (
        BatchJob.objects.using(using)
        .filter(idem_key=key)
        .of_caller(caller)
        .leased(now)
        .order_by("-created_at", "-id")
        .values_list("id", flat=True)
        .first()
    )
    return None if job is None else Submission(str(job), reused=True)


Announce = Callable[[str], None]


def submit(order: Order, announce: Announce, using: str) -> Submission:
    """Store the order as a running job, or return the one that is kept already.

    ``announce`` is called with a new job's id, inside the transaction. Raises
    ``CallerBusyError`` or ``JobsBusyError``; nothing is stored then.
    """
    key = idem_key(order.caller, order.targets)

    def work(new: uuid.UUID) -> Submission:
        if kept := leased_job(order.caller, key, using):
            return kept
        gate.check_caps(order.caller, order.caps, using)
        return _insert(new, order, key, announce, using)

    return _behind_the_gate(work, order.ttl, announce, using)


def retry(
    job_id: uuid.UUID,
    order_of: Callable[[BatchJob, list[Target]], Order],
    ttl: timedelta,
    announce: Announce,
    using: str,
) -> Submission:
    """Store a new job with the failed and pending targets of one that ended.

    ``order_of`` gives the order for the old job and these targets. Raises
    ``UnknownJobError``, ``JobLiveError``, ``NothingToRetryError``, and as a submit does.
    """

    def work(new: uuid.UUID) -> Submission:
        now = database.now(using)
        jobs = BatchJob.objects.using(using).filter(id=job_id)
        job = jobs.first()
        if job is None:
            raise UnknownJobError(str(job_id))
        if not jobs.settled(now).exists():
            raise JobLiveError(str(job_id))
        order = order_of(job, _unfinished(job, using))
        check_size(order)
        gate.check_caps(order.caller, order.caps, using)
        key = idem_key(order.caller, order.targets)
        return _insert(new, order, key, announce, using)

    return _behind_the_gate(work, ttl, announce, using)


def _behind_the_gate(
    work: Callable[[uuid.UUID], Submission], ttl: timedelta, announce: Announce, using: str
) -> Submission:
    """Run ``work`` with the id of a new job, in a transaction that holds the gate; if it is
    refused as busy, fail the jobs of dead workers and run it again, so that nobody is locked out
    where no worker is left to do so."""
    new = new_id()
    tries = 0

    def whole() -> Submission:
        nonlocal tries
        tries += 1
        gate.enter(using)
        # An earlier try may have stored it, and only its answer was lost with the connection.
        if tries > 1 and BatchJob.objects.using(using).filter(id=new).exists():
            return _announced(new, announce, using)
        return work(new)

    try:
        return database.in_transaction(whole, using)
    except (CallerBusyError, JobsBusyError):
        if not reap(RESTART, using, ttl=ttl):
            raise
        return database.in_transaction(whole, using)


def _unfinished(job: BatchJob, using: str) -> list[Target]:
    rows = list(
        BatchTarget.objects.using(using)
        # One that is `running` in a settled job was a dead worker's, whom nobody reaped yet.
        .filter(job=job)
        .exclude(status=TargetState.DONE)
        .order_by("idx")
        .values_list("url", "options")
    )
    last = BatchTarget.objects.using(using).filter(job=job, idx=job.targets_total - 1)
    if job.targets_total and not last.exists():
        raise UnknownJobError(str(job.id))  # a purge has begun to remove it, from its end
    if not rows:
        raise NothingToRetryError(str(job.id))
    return parse_targets([{"url": url, "options": options} for url, options in rows])


def check_size(order: Order) -> None:
    """Raises ``TooManyTargetsError``."""
    if len(order.targets) > order.caps.targets_per_job:
        raise TooManyTargetsError(order.caps.targets_per_job, len(order.targets))


def _insert(
    job_id: uuid.UUID, order: Order, key: str, announce: Announce, using: str
) -> Submission:
    now = database.now(using)
    job = BatchJob.objects.using(using).create(
        id=job_id,
        caller=order.caller,
        caller_class=order.caller_class,
        idem_key=key,
        status=JobStatus.QUEUED,
        targets_total=len(order.targets),
        created_at=now,
        lease_expires_at=now + order.ttl,
    )
    _insert_targets(job, order, using)
    # No commit shows `queued`: a caller asked right after a submit is told of a running job.
    BatchJob.objects.using(using).filter(id=job_id, status=JobStatus.QUEUED).update(
        status=JobStatus.RUNNING
    )
    return _announced(job_id, announce, using)


def _announced(job_id: uuid.UUID, announce: Announce, using: str) -> Submission:
    announce(str(job_id))
    send_on_commit(job_submitted, using, job_id=str(job_id))
    return Submission(str(job_id), reused=False)


# SQL by hand, since the ORM's bulk_create takes a third of a millisecond a row: a job of 100,000
# targets would spend half a minute in it on a busy machine, holding the gate.
_INSERT_TARGET = (
    f"INSERT INTO {BatchTarget._meta.db_table}"
    " (job_id, idx, url, url_hash, lane, options, status, error, hint, code)"
    f" VALUES (%s, %s, %s, %s, %s, %s, '{TargetState.PENDING}', '', '', '')"
)


def _insert_targets(job: BatchJob, order: Order, using: str) -> None:
    connection = connections[using]
    job_id = BatchJob._meta.pk.get_db_prep_value(job.id, connection)
    with connection.cursor() as cursor:
        for start in range(0, len(order.targets), ROWS_AT_ONCE):
            portion = order.targets[start : start + ROWS_AT_ONCE]
            cursor.executemany(
                _INSERT_TARGET,
                [
                    (
                        job_id,
                        idx,
                        target.url,
                        text_hash(target.url),
                        order.lane(target),
                        json.dumps(target.options.given(), ensure_ascii=False),
                    )
                    for idx, target in enumerate(portion, start=start)
                ],
            )
