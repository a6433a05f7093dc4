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
from typing import Any

from django.db import connections, transaction

from batch.models import BatchJob, BatchTarget, JobStatus, TargetState
from batch.outcome import Outcome
from batch.signals import job_finished, send_on_commit, target_finished

JOB = BatchJob._meta.db_table
TARGET = BatchTarget._meta.db_table


class Next(enum.Enum):
    """What a drain does after an outcome was recorded."""

    GO_ON = "go on"  # the next target is marked running
    ENDED = "ended"  # the job has ended, by this outcome or by a cancel
    LOST = "lost"  # the job is no longer this worker's: nothing was written


@dataclass(frozen=True, kw_only=True)
class Record:
    """One outcome of a claimed job. ``hold`` renews the claim; None leaves that to others."""

    job_id: uuid.UUID
    claim: int
    idx: int
    outcome: Outcome
    now: datetime
    ttl: timedelta
    hold: timedelta | None


class _Lost(Exception):
    """Undoes a transaction that found the job or its target in other hands."""


# `status` and `finished_at` come before the counters that they are computed from: MariaDB
# assigns from left to right, and the others compute every value from the old row.
_JOB_SET = f"""
    finished_at = CASE WHEN status = '{JobStatus.RUNNING}' AND targets_done + 1 >= targets_total
        THEN %(now)s ELSE finished_at END,
    worker = CASE WHEN status = '{JobStatus.RUNNING}' AND targets_done + 1 < targets_total
        THEN worker ELSE '' END,
    claim_expires_at = CASE
        WHEN status = '{JobStatus.RUNNING}' AND targets_done + 1 < targets_total
        THEN COALESCE(%(held)s, claim_expires_at) ELSE NULL END,
    status = CASE
        WHEN status <> '{JobStatus.RUNNING}' OR targets_done + 1 < targets_total THEN status
        WHEN targets_failed + %(failed)s = 0 THEN '{JobStatus.DONE}'
        WHEN targets_failed + %(failed)s >= targets_total THEN '{JobStatus.FAILED}'
        ELSE '{JobStatus.PARTIAL}' END,
    lease_expires_at = %(lease)s,
    targets_failed = targets_failed + %(failed)s,
    targets_done = targets_done + 1
"""
_JOB_MINE = (
    "id = %(job)s AND claim = %(claim)s AND targets_done < targets_total"
    f" AND status IN ('{JobStatus.RUNNING}', '{JobStatus.CANCELLED}')"
)
_TARGET_SET = """
    status = %(outcome)s, result = %(result)s{json}, error = %(error)s, hint = %(hint)s,
    code = %(code)s, details = %(details)s{json}, finished_at = %(now)s
"""
_TARGET_MINE = f"job_id = %(job)s AND idx = %(idx)s AND status = '{TargetState.RUNNING}'"
_NEXT_SET = f"status = '{TargetState.RUNNING}', started_at = %(now)s"
_NEXT_MINE = f"job_id = %(job)s AND idx = %(idx)s + 1 AND status = '{TargetState.PENDING}'"

# The statements below use only constants of this module; values go in as parameters.
_UPDATE_JOB = f"UPDATE {JOB} SET {_JOB_SET} WHERE {_JOB_MINE}"
_UPDATE_TARGET = f"UPDATE {TARGET} SET {_TARGET_SET.format(json='')} WHERE {_TARGET_MINE}"
_UPDATE_NEXT = (
    f"UPDATE {TARGET} SET {_NEXT_SET} WHERE {_NEXT_MINE} AND EXISTS"
    f" (SELECT 1 FROM {JOB} WHERE id = %(job)s AND status = '{JobStatus.RUNNING}')"
)
_POSTGRESQL = f"""
    WITH job AS (
        UPDATE {JOB} SET {_JOB_SET}
        WHERE {_JOB_MINE} AND EXISTS (SELECT 1 FROM {TARGET} WHERE {_TARGET_MINE})
        RETURNING status
    ), target AS (
        UPDATE {TARGET} SET {_TARGET_SET.format(json="::jsonb")}
        WHERE {_TARGET_MINE} AND EXISTS (SELECT 1 FROM job)
    ), next AS (
        UPDATE {TARGET} SET {_NEXT_SET}
        WHERE {_NEXT_MINE} AND EXISTS (SELECT 1 FROM job WHERE status = '{JobStatus.RUNNING}')
        RETURNING idx
    )
    SELECT status, (SELECT count(*) FROM next) FROM job
"""


def record(entry: Record, using: str) -> Next:
    """Store one outcome, once. Passing faults of the database are the caller's to repeat."""
    connection = connections[using]
    parameters = _parameters(entry, connection)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL, parameters)
            row = cursor.fetchone()
        if row is None:
            return Next.LOST
        _, going_on = row
    else:
        try:
            with transaction.atomic(using=using), connection.cursor() as cursor:
                for statement in (_UPDATE_JOB, _UPDATE_TARGET):
                    cursor.execute(statement, parameters)
                    if cursor.rowcount != 1:
                        raise _Lost
                cursor.execute(_UPDATE_NEXT, parameters)
                going_on = cursor.rowcount
        except _Lost:
            return Next.LOST
    _tell(entry, bool(going_on), using)
    return Next.GO_ON if going_on else Next.ENDED


def _parameters(entry: Record, connection: Any) -> dict[str, Any]:
    moment = connection.ops.adapt_datetimefield_value
    outcome = entry.outcome
    return {
        "job": BatchJob._meta.pk.get_db_prep_value(entry.job_id, connection),
        "claim": entry.claim,
        "idx": entry.idx,
        "now": moment(entry.now),
        "lease": moment(entry.now + entry.ttl),
        "held": None if entry.hold is None else moment(entry.now + entry.hold),
        "failed": 0 if outcome.done else 1,
        "outcome": str(TargetState.DONE if outcome.done else TargetState.FAILED),
        "result": outcome.result,
        "error": outcome.error,
        "hint": outcome.hint,
        "code": outcome.code,
        "details": outcome.details,
    }


def _tell(entry: Record, going_on: bool, using: str) -> None:
    job_id = str(entry.job_id)
    state = TargetState.DONE if entry.outcome.done else TargetState.FAILED
    send_on_commit(target_finished, using, job_id=job_id, idx=entry.idx, status=str(state))
    if not going_on and job_finished.has_listeners():
        # A cancelled job was told of when it was cancelled.
        ended = BatchJob.objects.using(using).filter(id=entry.job_id)
        for status in ended.exclude(status=JobStatus.CANCELLED).values_list("status", flat=True):
            send_on_commit(job_finished, using, job_id=job_id, status=status)
