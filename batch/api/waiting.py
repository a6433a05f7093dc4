"""``?wait=``: an answer that is held back until there is something new in it.

A waiter sleeps between looks and holds neither a transaction nor a connection meanwhile; only so
many wait in one process, since each keeps one of its threads.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

from django.db import connections
from rest_framework.request import Request

from batch import conf
from batch.api import query
from batch.api.problems import Refusal

MOST_SECONDS = 30.0
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 0.5
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)

_lock = threading.Lock()
_waiters = 0


def seconds_of(request: Request) -> float:
    """How long the request may be answered late; 0 without ``wait``."""
    text = query.one(request, "wait")
    if text is None:
        return 0.0
    if not _NUMBER.fullmatch(text):
        raise Refusal("invalid_query", "wait must be a number of seconds", f"0 to {MOST_SECONDS:g}")
    return min(float(text), MOST_SECONDS)


def looks(seconds: float) -> Iterator[None]:
    """Yields once, and again after each sleep as long as ``seconds`` last: a look is due.

    Where WAITERS requests wait already, there is one look alone.
    """
    ends = time.monotonic() + seconds
    pause = FIRST_PAUSE_SECONDS
    yield
    with _place() as free:
        while free and (left := ends - time.monotonic()) > 0:
            _let_go()
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
            yield


@contextlib.contextmanager
def _place() -> Iterator[bool]:
    """Whether there is a place for one more waiter, taken until the block ends."""
    global _waiters
    with _lock:
        free = _waiters < conf.settings().waiters
        _waiters += free
    try:
        yield free
    finally:
        with _lock:
            _waiters -= free


def _let_go() -> None:
    """Give up this thread's connections, but for one inside a transaction: a test's."""
    for connection in connections.all(initialized_only=True):
        held: Any = connection
        if not held.in_atomic_block:
            held.close()
