"""How many targets a second are drained on SQLite, beside huey on it."""

from __future__ import annotations

from functools import partial

from bench.kinds import huey_on_sqlite, runner, up
from bench.measure import Row, Say, Scale, Section, alternate, at_least, rate, ratio
from bench.places import Places, django_on

ON_SQLITE = (
    "Both in WAL mode with the same `synchronous`: FULL survives a power cut, NORMAL (the"
    " project's default) may lose the last moments to one, but not to a crash. huey removes a"
    " task before it runs and stores its result in a second transaction: a crash in between"
    " loses the task, where the runner fails the target with `restart`."
)

ROUNDS = 3  # as many as elsewhere, times this: a round is over in a fifth of a second


def on_sqlite(places: Places, scale: Scale, say: Say) -> Section:
    rows = []
    for synchronous in ("FULL", "NORMAL"):
        name = synchronous.lower()
        ours = django_on(places.sqlite(f"ours-{name}"), BENCH_SYNCHRONOUS=synchronous)
        kinds = [
            runner(ours),
            huey_on_sqlite(places, f"huey-{name}", BENCH_SYNCHRONOUS=synchronous),
        ]
        with up(kinds, places, say) as systems:
            turns = {
                system: partial(peer.turn, scale.targets, 1) for system, peer in systems.items()
            }
            found = alternate(turns, ROUNDS * scale.rounds, say)
        rows += [_rate(f"{system}, {synchronous}", times) for system, times in found.items()]
        mine, theirs = found.values()
        rows.append(at_least(f"against huey, {synchronous}", ratio(theirs, mine), 1.5))
    return Section("Draining on SQLite", rows, ON_SQLITE, beside=["huey"])


def _rate(name: str, times: list[float]) -> Row:
    each = 1 / rate(times)
    return Row(name, f"{rate(times):.0f} a second ({each * 1e6:.0f} µs each)")
