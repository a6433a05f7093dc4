"""Whether the runner slows down as finished jobs pile up."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from bench.kinds import runner, up
from bench.latency import Wait
from bench.measure import Row, Say, Scale, Section, Table, alternate, draining, rate, ratio
from bench.places import Places, django_on
from bench.process import System
from bench.systems import Kind

MOST = 1.15
REMARK = (
    "One database for each number of jobs that are kept, with five times as many targets; see"
    " `bench/crowd.py`. They are drained in turns by the same loop as above. The wait is that of an"
    " idle worker with thread isolation, from the commit of a submit to the first fetch."
)


def growth(places: Places, scale: Scale, say: Say) -> Section:
    kept = {0: "growth-none", scale.crowd // 10: "growth-tenth", scale.crowd: "lists"}
    kinds = {f"{jobs:,}": _crowded(places, jobs, name, say) for jobs, name in kept.items()}
    named = [replace(kind, name=name) for name, kind in kinds.items()]
    with up(named, places, say) as systems:
        submits: dict[str, list[float]] = {name: [] for name in systems}

        def turn(name: str) -> float:
            submits[name].append(systems[name].fill(scale.targets, 1))
            return systems[name].drain(scale.targets, 1)

        found = alternate({name: partial(turn, name) for name in systems}, scale.rounds, say)
    waits = _waits(named, places, scale, say)
    none, *_, most = found
    dearer = ratio(found[most], found[none])
    what = f"cost of a target with {most} finished jobs, against none"
    rows = [Row(what, f"{dearer:.2f} times", f"at most {MOST:g}", dearer <= MOST)]
    lines = [
        [
            name,
            f"{rate(found[name]):.0f} a second ({1e6 / rate(found[name]):.0f} µs each)",
            f"{rate(submits[name]):.0f} a second",
            f"{waits[name].percent(50):.3g} and {waits[name].percent(95):.3g} ms",
        ]
        for name in found
    ]
    heads = ("finished jobs", "drained", "submitted, in one job", "waking: median and 95 of 100")
    chart = draining("bench-growth", "Draining among finished jobs", found, "finished jobs")
    return Section("Among finished jobs", rows, REMARK, Table(heads, lines), [chart])


def _crowded(places: Places, jobs: int, name: str, say: Say) -> Kind:
    """The runner on a database with so many finished jobs, and none that waits."""
    environment = django_on(places.postgresql(name))
    kind = runner(environment, name)
    with System("bench.visits", **environment) as visits:
        if jobs and not visits.ask("count"):
            say(f"making {jobs:,} jobs")
            visits.ask("fill", jobs=jobs)
        for worker in kind.workers(1, "--exit-when-idle"):
            with worker:
                worker.wait()
    return kind


def _waits(kinds: list[Kind], places: Places, scale: Scale, say: Say) -> dict[str, Wait]:
    say(f"{scale.submits} submits to an idle worker on each")
    stamping = []
    for kind in kinds:
        stamps = str(places.folder / f"stamps-{kind.database}")
        more = {"BENCH_FETCH": "bench.fetches.stamp", "BENCH_STAMPS": stamps}
        stamping.append(replace(kind, environment={**kind.environment, **more}))
    with up(stamping, places, say) as systems, ExitStack() as stack:
        waits = {
            name: Wait(peer, stack.enter_context(peer.kind.workers(1)[0]))
            for name, peer in systems.items()
        }
        for _ in range(scale.submits + 1):
            for wait in waits.values():
                wait.once()
    return waits
