"""Whether anything is there to take up a job."""

from __future__ import annotations

from datetime import timedelta

from batch import conf, database
from batch.models import BatchWorker


def worker_alive() -> bool:
    """False where jobs wait for worker processes and none has shown a sign of life within
    CLAIM_SECONDS; true wherever something else drains them."""
    settings = conf.settings()
    if settings.dispatch != "worker":
        return True
    using = database.alias()

    def find() -> bool:
        since = database.now(using) - timedelta(seconds=settings.claim_seconds)
        return BatchWorker.objects.using(using).filter(seen_at__gt=since).exists()

    return database.repeat(find, using)
