"""huey on SQLite or on Redis: its consumer with worker threads in this process, results stored.

It takes a task off the queue before it runs it and stores the result in a second transaction:
a crash in between loses the task.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time

from huey import RedisHuey, SqliteHuey
from huey.storage import SqliteStorage

from bench.fetches import write_stamp
from bench.peers.queueing import one_by_one

logging.getLogger("huey").setLevel(logging.ERROR)


class Storage(SqliteStorage):
    """With SQLite's setting `synchronous` as asked for; huey itself knows only OFF and FULL."""

    def _create_connection(self) -> sqlite3.Connection:
        connection = super()._create_connection()
        connection.execute(f"PRAGMA synchronous={os.environ.get('BENCH_SYNCHRONOUS', 'NORMAL')}")
        return connection


def _huey() -> RedisHuey | SqliteHuey:
    place = os.environ["BENCH_DATABASE"]
    if place.startswith("redis"):
        return RedisHuey("bench", url=place)
    return SqliteHuey(storage_class=Storage, filename=place.removeprefix("sqlite:///"))


huey = _huey()
_ended = threading.Semaphore(0)


@huey.task()
def nothing(idx: int) -> str:
    _ended.release()
    return "ok"


@huey.task()
def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    """huey has made its tables."""


def fill(count: int) -> float:
    """Queue ``count`` tasks, one by one; the seconds each took."""
    return one_by_one(nothing, count)


def drain(count: int, concurrency: int = 1) -> float:
    """Seconds a task, from the consumer's start to the last task."""
    consumer = huey.create_consumer(workers=concurrency, periodic=False, check_worker_health=False)
    started = time.perf_counter()
    consumer.start()
    for _ in range(count):
        _ended.acquire()
    seconds = time.perf_counter() - started
    consumer.stop(graceful=True)
    return seconds / count


def submit_stamped() -> int:
    """Queue a task; the moment at which that came back."""
    stamp()
    return time.monotonic_ns()


def ended(count: int) -> float | None:
    """Whether a worker elsewhere has emptied the queue."""
    return None if huey.pending_count() else 0.0


def rest() -> None:
    """It holds nothing that a server counts."""


ASKED = (fill, drain, submit_stamped, ended, rest)
