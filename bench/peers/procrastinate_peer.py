"""procrastinate with one worker, on its asynchronous connector.

Its task is a coroutine, which it runs without a thread in between. What is asked of it outside of
a worker goes through its synchronous connector.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time

import procrastinate

from bench.fetches import write_stamp
from bench.peers.queueing import one_by_one

logging.getLogger("procrastinate").setLevel(logging.ERROR)

conninfo = os.environ["BENCH_DATABASE"]
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=conninfo))
door = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=conninfo))


@app.task(queue="bench", name="nothing")
async def nothing(idx: int) -> str:
    return "ok"


@app.task(queue="bench", name="stamp")
async def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    door.open()
    known = door.connector.execute_query_one("SELECT to_regclass('procrastinate_jobs') AS name")
    if not known["name"]:
        door.schema_manager.apply_schema()


def fill(count: int) -> float:
    """Defer ``count`` tasks, one by one; the seconds each took."""
    task = door.configure_task("nothing", queue="bench")
    return one_by_one(lambda idx: task.defer(idx=idx), count)


def fill_at_once(count: int) -> float:
    """The same, by its own way for many."""
    task = door.configure_task("nothing", queue="bench")
    started = time.perf_counter()
    task.batch_defer(*({"idx": idx} for idx in range(count)))
    return (time.perf_counter() - started) / count


def drain(count: int, concurrency: int = 1) -> float:
    """Seconds a task, from the worker's start until it has caught up."""

    async def run() -> float:
        async with app.open_async():
            started = time.perf_counter()
            await app.run_worker_async(
                concurrency=concurrency, wait=False, install_signal_handlers=False
            )
            return (time.perf_counter() - started) / count

    seconds = asyncio.run(run())
    assert ended(count) is not None
    return seconds


def ended(count: int) -> float | None:
    """Whether a worker has done all there was."""
    left = door.connector.execute_query_one(
        "SELECT count(*) AS left FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
    )
    return None if left["left"] else 0.0


def submit_stamped() -> int:
    """Defer a task; the moment at which that came back, committed."""
    door.configure_task("stamp", queue="bench").defer()
    return time.monotonic_ns()


def rest() -> None:
    door.close()
    door.open()


ASKED = (fill, fill_at_once, drain, ended, submit_stamped, rest)

if __name__ == "__main__":
    app.run_worker(concurrency=int(sys.argv[1]))
