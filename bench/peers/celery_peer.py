"""Celery with Redis as its broker, and results in the database by django-celery-results.

Celery closes Django's connection before and after each task, whatever CONN_MAX_AGE says; only
its own setting CELERY_DB_REUSE_MAX keeps it for so many tasks (BENCH_REUSE).
"""

from __future__ import annotations

import os
import time
from datetime import datetime

from celery import Celery
from django.core.management import call_command
from django.db import connections
from django.db.models import Max, Min
from django.utils import timezone

from bench.fetches import write_stamp
from bench.peers.queueing import one_by_one

app = Celery("bench", broker=os.environ["BENCH_BROKER"])
app.conf.update(
    broker_connection_retry_on_startup=True,
    result_backend="django-db",
    task_default_queue=os.environ["BENCH_QUEUE"],
    worker_prefetch_multiplier=64,  # what its manual advises for many short tasks
)
if "BENCH_REUSE" in os.environ:
    app.conf["CELERY_DB_REUSE_MAX"] = int(os.environ["BENCH_REUSE"])

_since: datetime | None = None


@app.task(name="nothing")
def nothing(idx: int) -> str:
    return "ok"


@app.task(name="stamp")
def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    call_command("migrate", verbosity=0)


def fill(count: int) -> float:
    """Queue ``count`` tasks, one by one; the seconds each took."""
    global _since
    _since = timezone.now()
    return one_by_one(nothing.delay, count)


def ended(count: int) -> float | None:
    """Seconds a task, from the end of the first to that of the last, when all have ended."""
    from django_celery_results.models import TaskResult

    done = TaskResult.objects.filter(date_created__gte=_since, status="SUCCESS")
    if done.count() < count:
        return None
    found = done.aggregate(first=Min("date_done"), last=Max("date_done"))
    return float((found["last"] - found["first"]).total_seconds() / (count - 1))


def submit_stamped() -> int:
    """Queue a task; the moment at which that came back."""
    stamp.delay()
    return time.monotonic_ns()


def rest() -> None:
    connections.close_all()


ASKED = (fill, ended, submit_stamped, rest)
