"""The hot write: one outcome, stored in one transaction with all that follows from it.

The target's outcome, the next target's ``running``, the job's lease, counters, claim and, with
the last outcome, its terminal status are one statement on PostgreSQL and three elsewhere. It
is SQL by hand, in this one place, because the ORM compiles an UPDATE anew at each call, which
takes longer than the database needs to run it (docs/performance.md has the numbers).
"""

from __future__ import annotations

import enum
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import connections

from batch.models import BatchJob, JobStatus, TargetState
from batch.moves.lanes import leave
from batch.moves.writes import stored_id, stored_moment, write, write_and_stop
from batch.outcome import Outcome
from batch.signals import job_finished, send_on_commit, target_finished


class Next(enum.Enum):
    """What a drain does after an outcome was recorded."""

    GO_ON = "go on"  # to the next target, which is marked running or has a lane to enter
    ENDED = "ended"  # the job has ended, by this outcome or by a cancel
    LOST = "lost"  # the job is no longer this worker's: nothing was written


class Lane(NamedTuple):
    """Where lanes let so many through at a time: the one that a target ran in, and for how long
    it lets nobody through. The job's next target is not marked running then: it has to enter
    its own lane."""

    name: str
    delay: timedelta


@dataclass(frozen=True, kw_only=True)
class Record:
    """One outcome of a claimed job."""

    job_id: uuid.UUID
    claim: int
    idx: int
    outcome: Outcome
    now: datetime
    ttl: timedelta
    lane: Lane | None = None


def record(entry: Record, using: str) -> Next:
    """Store one outcome, once. Passing faults of the database are the caller's to repeat."""
    connection = connections[using]
    parameters = _parameters(entry, connection)
    if entry.lane is None:
        written = write(connection, parameters)
    else:
        written = write_and_stop(
            connection, parameters, partial(leave, entry.job_id, *entry.lane, using)
        )
    if not written:
        return Next.LOST
    _tell(entry, written > 1, using)
    return Next.GO_ON if written > 1 else Next.ENDED


def stored_before(entry: Record, using: str) -> Next:
    """After LOST: the answer to an earlier try of this very write, if that was committed and
    only its answer was lost with the connection. While the claim's number stands, nobody else
    writes outcomes."""
    job = BatchJob.objects.using(using).filter(id=entry.job_id, claim=entry.claim)
    stored = job.filter(
        targets__idx=entry.idx, targets__status__in=(TargetState.DONE, TargetState.FAILED)
    )
    found = stored.values_list("status", "claim_expires_at").first()
    if found is None:
        return Next.LOST
    # Not by the status alone: who cancelled it since then left it in this hand.
    status, claim_expires_at = found
    going_on = status == JobStatus.RUNNING or claim_expires_at is not None
    _tell(entry, going_on, using)
    return Next.GO_ON if going_on else Next.ENDED


def _parameters(entry: Record, connection: Any) -> dict[str, Any]:
    outcome = entry.outcome
    return {
        "job": stored_id(connection, entry.job_id),
        "claim": entry.claim,
        "idx": entry.idx,
        "now": stored_moment(connection, entry.now),
        "lease": stored_moment(connection, entry.now + entry.ttl),
        "failed": 0 if outcome.done else 1,
        "outcome": str(TargetState.DONE if outcome.done else TargetState.FAILED),
        "result": outcome.result,
        "error": outcome.error,
        "hint": outcome.hint,
        "code": outcome.code,
        "details": outcome.details,
    }


def _tell(entry: Record, going_on: bool, using: str) -> None:
    if target_finished.receivers:
        state = TargetState.DONE if entry.outcome.done else TargetState.FAILED
        job_id = str(entry.job_id)
        send_on_commit(target_finished, using, job_id=job_id, idx=entry.idx, status=str(state))
    if not going_on and job_finished.receivers:
        # A cancelled job was told of when it was cancelled.
        ended = BatchJob.objects.using(using).filter(id=entry.job_id)
        for status in ended.exclude(status=JobStatus.CANCELLED).values_list("status", flat=True):
            send_on_commit(job_finished, using, job_id=str(entry.job_id), status=status)
