"""django-tasks-db: its own worker, in this process for one task at a time.

Each of its workers is a process that runs one task after another, so eight at once are eight.
"""

from __future__ import annotations

import importlib
import time
from datetime import datetime

from django.core.management import call_command
from django.db import connections, transaction
from django.db.models import Max, Min
from django.utils import timezone
from django_tasks_db.compat import TaskResultStatus
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from bench.fetches import write_stamp
from bench.peers.queueing import one_by_one

try:
    task = importlib.import_module("django.tasks").task
except ModuleNotFoundError:  # Django 5.2
    task = importlib.import_module("django_tasks").task

_since: datetime | None = None


@task
def nothing(idx: int) -> str:
    return "ok"


@task
def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    call_command("migrate", verbosity=0)


def fill(count: int) -> float:
    """Queue ``count`` tasks, one by one; the seconds each took."""
    global _since
    _since = timezone.now()
    return one_by_one(nothing.enqueue, count)


def fill_at_once(count: int) -> float:
    """The same, seen by the workers all at the same moment."""
    with transaction.atomic():
        return fill(count)


def drain(count: int) -> float:
    """Seconds a task, until the worker finds no more."""
    worker = Worker(
        queue_names=["default"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id="bench",
        excluded_queue_names=[],
    )
    started = time.perf_counter()
    worker.run()
    seconds = time.perf_counter() - started
    assert ended(count)
    return seconds / count


def ended(count: int) -> float | None:
    """Seconds a task, from the end of the first to that of the last, when all have ended."""
    mine = DBTaskResult.objects.filter(enqueued_at__gte=_since)
    done = mine.filter(status=TaskResultStatus.SUCCESSFUL)
    if done.count() < count:
        return None
    found = done.aggregate(first=Min("finished_at"), last=Max("finished_at"))
    return float((found["last"] - found["first"]).total_seconds() / (count - 1))


def submit_stamped() -> int:
    """Queue a task; the moment at which that came back, committed."""
    stamp.enqueue()
    return time.monotonic_ns()


def rest() -> None:
    connections.close_all()


ASKED = (fill, fill_at_once, drain, ended, submit_stamped, rest)
