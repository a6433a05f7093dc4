"""django-q2 with its queue in the database: a cluster of a guard, a pusher, a monitor and workers.

The monitor alone stores results, and notes no time for that, so its end is seen by looking.
"""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial

from django.core.management import call_command
from django.db import connections
from django.utils import timezone
from django_q.models import Task
from django_q.tasks import async_task

from bench.fetches import write_stamp
from bench.peers.queueing import one_by_one

_since: datetime | None = None
_first: tuple[float, int] | None = None  # when results were first seen, and how many


def nothing(idx: int) -> str:
    return "ok"


def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    call_command("migrate", verbosity=0)


def fill(count: int) -> float:
    """Queue ``count`` tasks, one by one; the seconds each took."""
    global _since, _first
    _since, _first = timezone.now(), None
    return one_by_one(partial(async_task, "bench.peers.django_q_peer.nothing"), count)


def ended(count: int) -> float | None:
    """Seconds a task, from the first results seen to the last, when all are stored."""
    global _first
    found, now = Task.objects.filter(started__gte=_since).count(), time.perf_counter()
    if found and not _first:
        _first = now, found
    if found < count or not _first:
        return None
    return (now - _first[0]) / (count - _first[1])


def submit_stamped() -> int:
    """Queue a task; the moment at which that came back, committed."""
    async_task("bench.peers.django_q_peer.stamp")
    return time.monotonic_ns()


def rest() -> None:
    connections.close_all()


ASKED = (fill, ended, submit_stamped, rest)
