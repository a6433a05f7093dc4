"""A job is taken in hand, and kept there."""

from __future__ import annotations

import random
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any

from django.db import connections

from batch import database
from batch.models import BatchJob, JobStatus
from batch.moves.writes import stored_id, stored_moment, take

CANDIDATES = 8
FIRST = 1  # a job is claimed once: what waits has the claim 0
_FACTS = ("id", "caller", "caller_class", "targets_total")
_Facts = tuple[uuid.UUID, str, str, int]


@dataclass(frozen=True)
class Claim:
    """A job in hand: its number goes into every write of its drain.

    ``claimed_at`` is the database's time, from which the drain's own clock goes on.
    """

    job_id: uuid.UUID
    caller: str
    caller_class: str
    targets_total: int
    number: int
    claimed_at: datetime


def claim_next(worker: str, hold: timedelta, using: str, *, lanes: bool = False) -> Claim | None:
    """Take the job that waits longest, or None when none waits.

    Two workers may see the same job; the conditional UPDATE lets one of them have it, and the
    other goes on to one of the next.
    """
    tried: set[_Facts] = set()
    while candidates := database.repeat(partial(_candidates, using), using):
        # Who loses the oldest to another worker would lose each next one to it as well, in step.
        oldest, *others = candidates
        for facts in (oldest, *random.sample(others, len(others))):
            if claim := _claim(facts, worker, hold, using, lanes):
                return claim
        if tried.issuperset(candidates):
            break  # keys that were written by hand, which no UPDATE finds
        tried.update(candidates)
    return None


def _candidates(using: str) -> list[_Facts]:
    """Asked every second by an idle worker, which else does nothing but compile this query."""
    sql, parameters = _waiting(using)
    with connections[using].cursor() as cursor:
        cursor.execute(sql, parameters)
        return [(_uuid(job_id), *facts) for job_id, *facts in cursor.fetchall()]


@lru_cache
def _waiting(using: str) -> tuple[str, tuple[Any, ...]]:
    found = BatchJob.objects.using(using).claimable().values(*_FACTS)[:CANDIDATES]
    sql, parameters = found.query.get_compiler(using).as_sql()
    return sql, tuple(parameters)


def _uuid(value: uuid.UUID | str) -> uuid.UUID:
    return value if isinstance(value, uuid.UUID) else uuid.UUID(value)


def claim_job(
    job_id: uuid.UUID, worker: str, hold: timedelta, using: str, *, lanes: bool = False
) -> Claim | None:
    """Take this one job for ``hold``, or None when it is unknown, ended or taken."""
    job = BatchJob.objects.using(using).claimable().filter(id=job_id)
    facts = database.repeat(job.values_list(*_FACTS).first, using)
    return facts and _claim(facts, worker, hold, using, lanes)


def _claim(facts: _Facts, worker: str, hold: timedelta, using: str, lanes: bool) -> Claim | None:
    """Take a job that waits; its first target is marked running in the same transaction,
    unless there are ``lanes``, one of which it has to enter."""
    connection = connections[using]
    own = BatchJob.objects.using(using).filter(id=facts[0], worker=worker, claim=FIRST)
    tries = 0

    def work() -> Claim | None:
        nonlocal tries
        tries += 1
        now = database.now(using)
        moments = {
            "now": stored_moment(connection, now),
            "expires": stored_moment(connection, now + hold),
        }
        parameters = {"job": stored_id(connection, facts[0]), "claim": FIRST, "worker": worker}
        taken = take(connection, {**parameters, **moments}, begin=not lanes)
        # An earlier try may have taken it, and only its answer was lost with the connection.
        if not taken and not (tries > 1 and own.exists()):
            return None
        return Claim(*facts, number=FIRST, claimed_at=now)

    return database.repeat(work, using)


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
