"""How many targets a second are drained, beside what others do in the same minutes."""

from __future__ import annotations

import statistics
from functools import partial

from bench.measure import Row, Say, Scale, Section, alternate, at_least, ratio
from bench.places import Places, django_on
from bench.process import System

ON_POSTGRESQL = (
    "One server for all, synchronous_commit on: what is reported as done survives a power cut."
    " The runner stores a result, the job's state and the next target's in one transaction a"
    " target; procrastinate takes a task in one and finishes it in another, keeps no result, and"
    " slows down the more tasks wait; the bare loop makes the runner's two updates and marks no"
    " next target."
)
ON_SQLITE = (
    "Both in WAL mode with the same `synchronous`: FULL survives a power cut, NORMAL (the"
    " project's default) may lose the last moments to one, but not to a crash. huey removes a"
    " task before it runs and stores its result in a second transaction: a crash in between"
    " loses the task, where the runner fails the target with `restart`."
)


def on_postgresql(places: Places, scale: Scale, say: Say) -> Section:
    ours, theirs = places.postgresql("ours"), places.postgresql("procrastinate")
    with (
        System("bench.ours", **django_on(ours)) as runner,
        System("bench.peers.bare", **django_on(ours)) as bare,
        System("bench.peers.procrastinate_peer", BENCH_DATABASE=theirs) as procrastinate,
    ):
        systems = {"runner": runner, "bare loop": bare, "procrastinate": procrastinate}
        found = alternate(
            {
                name: partial(system.ask, "drain", count=scale.targets)
                for name, system in systems.items()
            },
            scale.rounds,
            say,
        )
        writes = runner.ask("count_writes", count=scale.targets)
    rows = [_rate(name, times) for name, times in found.items()]
    mine = found["runner"]
    rows.append(at_least("against procrastinate", ratio(found["procrastinate"], mine), 3))
    rows.append(at_least("against the bare loop", ratio(found["bare loop"], mine), 0.75))
    for name, number in writes.items():
        # A job's claim and its reading ahead are a few statements a hundred targets.
        kept = 0.95 <= number <= 1.05
        rows.append(Row(f"{name} a target", f"{number:.2f}", "1, and reading ahead", kept))
    return Section("Draining on PostgreSQL", rows, ON_POSTGRESQL)


def on_sqlite(places: Places, scale: Scale, say: Say) -> Section:
    rows = []
    for synchronous in ("FULL", "NORMAL"):
        name = synchronous.lower()
        with (
            System(
                "bench.ours",
                **django_on(places.sqlite(f"ours-{name}"), BENCH_SYNCHRONOUS=synchronous),
            ) as runner,
            System(
                "bench.peers.huey_peer",
                BENCH_DATABASE=places.sqlite(f"huey-{name}"),
                BENCH_SYNCHRONOUS=synchronous,
            ) as huey,
        ):
            found = alternate(
                {
                    f"runner, {synchronous}": partial(runner.ask, "drain", count=scale.targets),
                    f"huey, {synchronous}": partial(huey.ask, "drain", count=scale.targets),
                },
                scale.rounds,
                say,
            )
        rows += [_rate(system, times) for system, times in found.items()]
        mine, theirs = found.values()
        rows.append(at_least(f"against huey, {synchronous}", ratio(theirs, mine), 1.5))
    return Section("Draining on SQLite", rows, ON_SQLITE)


def _rate(name: str, times: list[float]) -> Row:
    middle = statistics.median(times)
    return Row(name, f"{1 / middle:.0f} a second ({middle * 1e6:.0f} µs each)")
