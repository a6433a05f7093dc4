"""huey's SqliteHuey: one worker thread, its results stored.

It takes a task off the queue before it runs it and stores the result in a second transaction:
a crash in between loses the task.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time

from huey import SqliteHuey
from huey.storage import SqliteStorage

logging.getLogger("huey").setLevel(logging.ERROR)


class Storage(SqliteStorage):
    """With SQLite's setting `synchronous` as asked for; huey itself knows only OFF and FULL."""

    def _create_connection(self) -> sqlite3.Connection:
        connection = super()._create_connection()
        connection.execute(f"PRAGMA synchronous={os.environ['BENCH_SYNCHRONOUS']}")
        return connection


huey = SqliteHuey(
    storage_class=Storage, filename=os.environ["BENCH_DATABASE"].removeprefix("sqlite:///")
)
_ended = threading.Semaphore(0)


@huey.task()
def nothing(idx: int) -> str:
    _ended.release()
    return "ok"


def prepare() -> None:
    """huey has made its tables."""


def drain(count: int) -> float:
    """Seconds a task, from the consumer's start to the last task."""
    for idx in range(count):
        nothing(idx)
    consumer = huey.create_consumer(workers=1, periodic=False, check_worker_health=False)
    started = time.perf_counter()
    consumer.start()
    for _ in range(count):
        _ended.acquire()
    seconds = time.perf_counter() - started
    consumer.stop(graceful=True)
    return seconds / count


ASKED = (drain,)
