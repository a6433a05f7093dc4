"""What the benchmarks fetch: nothing, a megabyte of nothing, or the time of day."""

from __future__ import annotations

import os
import time

from batch.types import FetchContext, Result, Target

MEGABYTE = "x" * 1_000_000


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
