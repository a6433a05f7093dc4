"""A worker says that it lives."""

from __future__ import annotations

from datetime import datetime

from batch import database
from batch.models import BatchWorker


def beat(name: str, slots: int, busy: int, started_at: datetime, now: datetime, using: str) -> None:
    """Write the worker's row, anew if somebody took it for dead meanwhile."""

    def work() -> None:
        row = BatchWorker.objects.using(using).filter(name=name)
        if not row.update(slots=slots, busy=busy, seen_at=now):
            row.create(name=name, slots=slots, busy=busy, started_at=started_at, seen_at=now)

    database.in_transaction(work, using)


def leave(name: str, using: str) -> None:
    """Remove the row of a worker that ends in good order."""

    def work() -> None:
        BatchWorker.objects.using(using).filter(name=name).delete()

    database.in_transaction(work, using)


def forget(seen_before: datetime, using: str) -> None:
    """Remove the rows of workers that died without a word."""

    def work() -> None:
        BatchWorker.objects.using(using).filter(seen_at__lt=seen_before).delete()

    database.in_transaction(work, using)
