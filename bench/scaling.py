"""``python -m bench.scaling [--most N] [--write]``: 1, 2, 4 ... 32 workers on one database.

Each is a process of its own with one slot. They are given all jobs at one moment; the rate is from
the first claim to the last outcome.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from bench import marks
from bench.fetches import WAITING
from bench.places import Places, django_on, places
from bench.process import Program, System, end_in_order

WORKERS = (1, 2, 4, 8, 16, 32)
START_SECONDS = 300.0
ROUNDS = 3
FLUSHES = 200
NOTHING = "https://nothing.example.com/"
HEAD = (
    "| workers | nothing, 32 targets a job | nothing, 1 target a job | 0.1 s each,"
    " 8 targets a job | of what sleep allows |",
    "|---|---|---|---|---|",
)


class Line(NamedTuple):
    workers: int
    nothing: float
    single: float
    waiting: float
    connections: int

    def __str__(self) -> str:
        share = f"{self.waiting / (self.workers / 0.1):.0%}"
        rates = f"{self.nothing:,.0f} | {self.single:,.0f} | {self.waiting:,.0f}"
        return f"| {self.workers} | {rates} | {share} |"


@contextlib.contextmanager
def crew(system: System, count: int, isolation: str, environment: dict[str, str]) -> Iterator[Any]:
    """So many workers, once all of them live."""
    worker = ("-m", "django", "batch_worker", "--slots", "1", "--isolation", isolation)
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(Program(*worker, **environment)) for _ in range(count)]
        ends = time.monotonic() + START_SECONDS
        while system.ask("seen") < count:
            if time.monotonic() > ends or not all(program.runs for program in programs):
                raise RuntimeError("the workers did not start")
            time.sleep(0.2)
        yield programs


def measure(database: str, most: int, rounds: int) -> list[Line]:
    lines = []
    environment = django_on(
        database, BENCH_FETCH="bench.fetches.by_host", DJANGO_SETTINGS_MODULE="bench.quiet_settings"
    )
    with System("bench.crew", **environment) as system:
        for count in WORKERS:
            if count > most:
                break
            with crew(system, count, "thread", environment):
                nothing = _median(system, rounds, max(16, 4 * count), 32, NOTHING)
                single = _median(system, rounds, max(128, 8 * count), 1, NOTHING)
                waiting = _median(system, rounds, 2 * count, 8, WAITING)
            connections = round(nothing["connections"] / count)
            rates = (nothing["rate"], single["rate"], waiting["rate"])
            lines.append(Line(count, *rates, connections))
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def _median(system: System, rounds: int, jobs: int, targets: int, host: str) -> dict[str, float]:
    how = {"jobs": jobs, "targets": targets, "host": host}
    found = [system.ask("work", **how) for _ in range(rounds)]
    return {name: statistics.median(each[name] for each in found) for name in found[0]}


def memory(database: str, isolation: str) -> str:
    """Of one worker of four, with its children: what it has for itself, and its share."""
    environment = django_on(
        database, BENCH_FETCH="bench.fetches.by_host", DJANGO_SETTINGS_MODULE="bench.quiet_settings"
    )
    with (
        System("bench.crew", **environment) as system,
        crew(system, 4, isolation, environment) as programs,
    ):
        system.ask("work", jobs=16, targets=32, host=NOTHING)
        worker = psutil.Process(programs[0].pid)
        family = [worker, *worker.children(recursive=True)]
        kept = [each.memory_full_info() for each in family]
        own, shared = sum(each.uss for each in kept), sum(each.pss for each in kept)
    return f"{len(family)} | {own / 1e6:.0f} MB | {shared / 1e6:.0f} MB"


def flushes(folder: Path) -> float:
    """How often a second this disk flushes a small write, one after the other."""
    with tempfile.TemporaryFile(dir=folder) as file:
        started = time.perf_counter()
        for _ in range(FLUSHES):
            os.pwrite(file.fileno(), b"x" * 512, 0)
            os.fdatasync(file.fileno())
        return FLUSHES / (time.perf_counter() - started)


def tables(where: Places, most: int, rounds: int, command: str) -> list[str]:
    said = [marks.where(command, where.server_url)]
    for name, database in (
        ("PostgreSQL", where.postgresql("scaling")),
        ("SQLite", where.sqlite("scaling")),
    ):
        print(name, file=sys.stderr)
        lines = measure(database, most, rounds)
        said += ["", f"**Targets a second on {name}**", "", *HEAD, *map(str, lines)]
        if name == "PostgreSQL":
            said += ["", f"Connections of a worker with one slot: {lines[0].connections}."]
    rate = flushes(where.folder)
    said += ["", f"The disk flushes {rate:,.0f} small writes a second, one after the other.", ""]
    said += ["| a worker of one slot | processes | memory of its own | its share of all |"]
    said += ["|---|---|---|---|"]
    for isolation in ("thread", "process"):
        found = memory(where.postgresql("scaling"), isolation)
        said.append(f"| isolation `{isolation}` | {found} |")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description=__doc__)
    parser.add_argument("--most", type=int, default=WORKERS[-1], help="workers; default: 32")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each; default: 3")
    parser.add_argument("--write", action="store_true", help="renew docs/scaling.md")
    options = parser.parse_args()
    end_in_order()
    command = "python -m bench.scaling"
    command += f" --most {options.most}" if options.most != WORKERS[-1] else ""
    command += f" --rounds {options.rounds}" if options.rounds != ROUNDS else ""
    with places() as where:
        said = tables(where, options.most, options.rounds, command)
    print("\n".join(said))
    if options.write:
        marks.renew("scaling.md", "scaling", ["", *said, ""])
    return 0


if __name__ == "__main__":
    sys.exit(main())
