"""Rows go: one job at its caller's wish, expired ones when their lease has lapsed."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.db.models import PROTECT, RESTRICT, F, ProtectedError

from batch import database
from batch.errors import JobLiveError, UnknownJobError
from batch.models import BatchJob, BatchJobQuerySet, BatchTarget
from batch.text import one_line

logger = logging.getLogger("batch")

JOBS_AT_ONCE = 100
TARGETS_AT_ONCE = 1000  # a transaction that removes more would hold others up


def delete(job_id: uuid.UUID, using: str) -> None:
    """Remove a terminal job and its results. Raises ``UnknownJobError``, ``JobLiveError``."""
    now = database.now(using)
    job = BatchJob.objects.using(using).filter(id=job_id)
    total = database.repeat(job.values_list("targets_total", flat=True).first, using)
    if total is None:
        raise UnknownJobError(str(job_id))
    if not _remove(job.settled(now), total, now, using) and database.repeat(job.exists, using):
        raise JobLiveError(str(job_id))


def purge(using: str, *, seconds: float | None = None) -> int:
    """Remove expired jobs and say how many. Stop after ``seconds``; without them, rest after each
    portion for as long as it took, so that what drains meanwhile keeps most of its pace."""
    ends = None if seconds is None else time.monotonic() + seconds
    now = database.now(using)
    expired = BatchJob.objects.using(using).expired(now)
    count = 0
    kept: set[uuid.UUID] = set()
    stuck: set[tuple[uuid.UUID, int]] = set()
    while found := database.repeat(partial(_first, expired.exclude(id__in=kept)), using):
        removed, kept_before = 0, len(kept)
        for portion in _portions(found):
            began = time.monotonic()
            removed += _removed(expired.order_by(), portion, kept, now, using)
            if ends is None:
                time.sleep(time.monotonic() - began)
            elif time.monotonic() > ends:
                return count + removed
        count += removed
        if not removed and len(kept) == kept_before:
            if stuck.issuperset(found):
                break
            # Somebody else removed them at this moment, mostly: those behind them are left.
            stuck = set(found)
    return count


def _first(jobs: BatchJobQuerySet) -> list[tuple[uuid.UUID, int]]:
    return list(jobs.values_list("id", "targets_total")[:JOBS_AT_ONCE])


_Sizes = dict[uuid.UUID, int]  # of jobs: how many targets each has


def _portions(jobs: list[tuple[uuid.UUID, int]]) -> Iterator[_Sizes]:
    """Jobs in groups of at most TARGETS_AT_ONCE targets; a larger one is a group of its own."""
    portion: _Sizes = {}
    for job_id, total in jobs:
        if portion and sum(portion.values()) + total > TARGETS_AT_ONCE:
            yield portion
            portion = {}
        portion[job_id] = total
    if portion:
        yield portion


def _removed(
    jobs: BatchJobQuerySet, portion: _Sizes, kept: set[uuid.UUID], now: datetime, using: str
) -> int:
    """Remove a portion, and where that fails each job by itself: the host may protect one from
    deletion, or hear of it and raise. Those are ``kept``, and the others go."""
    try:
        return _remove(jobs.filter(id__in=portion), sum(portion.values()), now, using)
    except Exception as error:
        if database.mood(error):
            raise
        if len(portion) > 1:
            alone = ({job_id: total} for job_id, total in portion.items())
            return sum(_removed(jobs, job, kept, now, using) for job in alone)
        (job_id,) = portion
        kept.add(job_id)
        told = one_line(f"{type(error).__name__}: {error}")
        logger.warning("job_not_purged", extra={"job": str(job_id), "error": told})
        return 0


def _remove(jobs: BatchJobQuerySet, total: int, now: datetime, using: str) -> int:
    """Remove these jobs, as far as the query set's conditions still hold; how many went.

    Each transaction takes the jobs first: that locks them, checks the conditions once more, and
    ends whatever else believes to have them in hand. Their lease ends as well, so that no submit
    is given what is half gone, and a purge removes it if this process dies.
    """

    def some(from_idx: int) -> int:
        if not jobs.update(
            claim=F("claim") + 1, claim_expires_at=None, worker="", lease_expires_at=now
        ):
            return 0
        ids = list(jobs.values_list("id", flat=True))
        if from_idx:
            targets = BatchTarget.objects.using(using).filter(job_id__in=ids)
            targets.filter(idx__gte=from_idx).delete()
        else:
            BatchJob.objects.using(using).filter(id__in=ids).delete()
        return len(ids)

    if total > TARGETS_AT_ONCE:
        database.repeat(partial(_ask_the_host, jobs, using), using)
    # The targets of a large job go from its end, TARGETS_AT_ONCE in a transaction.
    for from_idx in range(total - TARGETS_AT_ONCE, 0, -TARGETS_AT_ONCE):
        if not database.in_transaction(partial(some, from_idx), using):
            return 0
    return database.in_transaction(partial(some, 0), using)


def _ask_the_host(jobs: BatchJobQuerySet, using: str) -> None:
    """Raise ``ProtectedError`` where a row of the host's protects such a job, or a target of it,
    from deletion. Asked when its turn comes, that would be said with other targets gone."""
    ids = list(jobs.values_list("id", flat=True))
    for model, job in ((BatchJob, ""), (BatchTarget, "__job")):
        for relation in model._meta.get_fields(include_hidden=True):
            if getattr(relation, "on_delete", None) not in (PROTECT, RESTRICT):
                continue
            rows = relation.related_model._base_manager.using(using)  # type: ignore[union-attr]
            name = relation.field.name  # type: ignore[union-attr]
            if holders := set(rows.filter(**{f"{name}{job}__in": ids})[:1]):
                told = f"{relation.related_model.__name__}.{name} refers to it"  # type: ignore[union-attr]
                raise ProtectedError(told, holders)


def expired_jobs(using: str) -> int:
    """How many jobs a purge would remove now."""
    expired = BatchJob.objects.using(using).expired(database.now(using)).order_by()
    return database.repeat(expired.count, using)
