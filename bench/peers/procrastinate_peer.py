"""procrastinate with one worker of concurrency 1, on its asynchronous connector.

Its task is a coroutine, which it runs without a thread in between.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time

import procrastinate

from bench.fetches import write_stamp

logging.getLogger("procrastinate").setLevel(logging.ERROR)

app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=os.environ["BENCH_DATABASE"])
)


@app.task(queue="nothing", name="nothing")
async def nothing(idx: int) -> str:
    return "ok"


@app.task(queue="stamp", name="stamp")
async def stamp() -> str:
    write_stamp()
    return "ok"


def prepare() -> None:
    async def apply() -> None:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()

    asyncio.run(apply())
    app.open()  # for what is deferred outside of an event loop


def drain(count: int) -> float:
    """Seconds a task, from the worker's start until it has caught up."""

    async def run() -> float:
        async with app.open_async():
            await nothing.batch_defer_async(*({"idx": idx} for idx in range(count)))
            started = time.perf_counter()
            await app.run_worker_async(
                queues=["nothing"], concurrency=1, wait=False, install_signal_handlers=False
            )
            return (time.perf_counter() - started) / count

    return asyncio.run(run())


def submit_stamped() -> int:
    """Defer a task; the moment at which that came back, committed."""
    stamp.defer()
    return time.monotonic_ns()


ASKED = (drain, submit_stamped)

if __name__ == "__main__":
    app.run_worker(queues=["stamp"], concurrency=1)
