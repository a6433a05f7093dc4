"""How long a job waits for an idle worker: from the commit of its submit to its first fetch."""

from __future__ import annotations

import random
import time
from pathlib import Path

from bench.measure import Row, Say, Scale, Section, at_most, percentile
from bench.places import Places, django_on
from bench.process import Program, System

START_SECONDS = 60.0
REMARK = (
    "A worker process with one slot, thread isolation and its default poll of a second, idle"
    " before each submit. procrastinate: a worker process of concurrency 1, woken by NOTIFY as"
    " well; its time runs from the return of `defer`."
)
WORKER = ("-m", "django", "batch_worker", "--slots", "1", "--isolation", "thread")


def waking(places: Places, scale: Scale, say: Say) -> Section:
    rows = []
    for kind, database, middle, most in (
        ("PostgreSQL", places.postgresql("waking"), 10, 20),
        ("SQLite", places.sqlite("waking"), 60, 100),
    ):
        say(f"{scale.submits} submits to an idle worker on {kind}")
        stamps = places.folder / f"stamps-{kind}"
        environment = django_on(
            database, BENCH_FETCH="bench.fetches.stamp", BENCH_STAMPS=str(stamps)
        )
        with System("bench.ours", **environment) as runner:
            found = _waits(runner, Program(*WORKER, **environment), stamps, scale.submits)
        rows.append(at_most(f"{kind}: median", percentile(found, 50), middle, "ms"))
        rows.append(at_most(f"{kind}: 95 of 100", percentile(found, 95), most, "ms"))
    say(f"{scale.submits} tasks for an idle procrastinate")
    stamps = places.folder / "stamps-procrastinate"
    environment = {
        "BENCH_DATABASE": places.postgresql("waking-procrastinate"),
        "BENCH_STAMPS": str(stamps),
    }
    module = "bench.peers.procrastinate_peer"
    with System(module, **environment) as procrastinate:
        worker = Program("-m", module, "worker", **environment)
        found = _waits(procrastinate, worker, stamps, scale.submits)
    numbers = f"{percentile(found, 50):.3g} and {percentile(found, 95):.3g} ms"
    rows.append(Row("procrastinate: median and 95 of 100", numbers))
    return Section("Waking an idle worker", rows, REMARK)


def _waits(system: System, worker: Program, stamps: Path, count: int) -> list[float]:
    """The milliseconds that each of ``count`` submits waited. The first is the worker's start."""
    found = []
    with worker:
        for number in range(count + 1):
            committed = system.ask("submit_stamped")
            fetched = _stamp(stamps, number, worker)
            found.append((fetched - committed) / 1e6)
            # Long enough for the worker to end the job and to wait again; never in step with
            # anything that polls.
            time.sleep(random.uniform(0.03, 0.1))
    return found[1:]


def _stamp(stamps: Path, number: int, worker: Program) -> int:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and worker.runs:
        lines = stamps.read_text().splitlines() if stamps.exists() else []
        if len(lines) > number:
            return int(lines[number])
        time.sleep(0.005)
    raise RuntimeError("the worker fetched nothing")
