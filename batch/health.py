"""Whether jobs are drained: the one look that probes, monitors and metrics share.

Three short queries, each of the first part of an index, outside any transaction; where lanes let
only so many through, one more of the few turns that there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from batch import conf, database
from batch.models import BatchJob, BatchTurn, BatchWorker

MOST_WAITING = 1000  # jobs that are counted; the caps allow far fewer by default


class Alive(NamedTuple):
    """A worker that was seen within CLAIM_SECONDS."""

    name: str
    slots: int
    busy: int


@dataclass(frozen=True)
class Queue:
    """The jobs that wait, for how long the first of them has, and who is there to take them.
    ``at_lanes`` are in hand, and their next target waits for its lane."""

    waiting: int
    waiting_seconds: float
    at_lanes: int
    workers: list[Alive]
    dispatch: str

    @property
    def drained(self) -> bool:
        """False when jobs wait for worker processes and none is alive. Where something else
        drains the jobs, it leaves no sign of life to look for."""
        return bool(self.workers) or not (self.waiting and self.dispatch == "worker")


def look(using: str) -> Queue:
    """What the rows say now. Raises the database's own errors."""
    settings = conf.settings()

    def ask() -> Queue:
        now = database.now(using)
        jobs = BatchJob.objects.using(using).claimable()
        since = list(jobs.values_list("created_at", flat=True)[:MOST_WAITING])
        turns = BatchTurn.objects.using(using).filter(asked_until__gt=now)
        alive = alive_workers(now, using).values_list("name", "slots", "busy")
        return Queue(
            waiting=len(since),
            waiting_seconds=max(0.0, (now - since[0]).total_seconds()) if since else 0.0,
            at_lanes=turns.count() if settings.lane_rules else 0,
            workers=[Alive(*row) for row in alive],
            dispatch=settings.dispatch,
        )

    return database.repeat(ask, using)


def worker_alive() -> bool:
    """False where jobs wait for worker processes and none has shown a sign of life within
    CLAIM_SECONDS; true wherever something else drains them."""
    if conf.settings().dispatch != "worker":
        return True
    using = database.alias()
    return database.repeat(lambda: alive_workers(database.now(using), using).exists(), using)


def alive_workers(now: datetime, using: str) -> QuerySet[BatchWorker]:
    since = now - timedelta(seconds=conf.settings().claim_seconds)
    return BatchWorker.objects.using(using).filter(seen_at__gt=since)
