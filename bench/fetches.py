"""What the benchmarks fetch: nothing, a megabyte of nothing, a page's wait, or the time of day."""

from __future__ import annotations

import os
import time

from batch.types import FetchContext, Result, Target

MEGABYTE = "x" * 1_000_000
PAGE = "A page of some words. " * 90  # 2 kB
PAGE_SECONDS = 0.1
WAITING = "https://wait.example.com/"


def nothing(context: FetchContext, target: Target) -> Result:
    return Result("ok")


def megabyte(context: FetchContext, target: Target) -> Result:
    return Result(MEGABYTE)


def stamp(context: FetchContext, target: Target) -> Result:
    write_stamp()
    return Result("ok")


def write_stamp() -> None:
    """Append this moment to the file BENCH_STAMPS, of a clock that all processes share."""
    moment = time.monotonic_ns()
    fd = os.open(os.environ["BENCH_STAMPS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, f"{moment}\n".encode())
    os.close(fd)


def page(context: FetchContext, target: Target) -> Result:
    """As long as a page takes, most of which is waiting."""
    time.sleep(PAGE_SECONDS)
    return Result(PAGE)


def by_host(context: FetchContext, target: Target) -> Result:
    """A page of the host ``wait``, and nothing of any other."""
    return page(context, target) if target.url.startswith(WAITING) else nothing(context, target)
