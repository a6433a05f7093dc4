"""How many targets a second are drained, beside what others do in the same minutes."""

from __future__ import annotations

from functools import partial

from bench.charts import Chart
from bench.kinds import NO_REDIS, PACKAGES, bare, peers, runners, up
from bench.measure import Row, Say, Scale, Section, Table, alternate, at_least, rate, ratio
from bench.places import Places
from bench.process import System
from bench.systems import Peer

EIGHT = 8
LEAST = {  # times, as promised; of eight at once where that is promised as well
    "procrastinate": (3.0, 2.0),
    "django-tasks-db": (4.0, 2.0),
    "Celery": (5.0, None),
    "Celery, reusing connections": (2.5, None),
    "bare loop": (0.75, None),
}
ON_POSTGRESQL = (
    "One server for all, synchronous_commit on. Each item does nothing and gives `ok`, in the"
    " worker's own process or thread. All peers keep their connections: by CONN_MAX_AGE where they"
    " heed it; Celery closes Django's connection around each task whatever that says, until its own"
    " setting CELERY_DB_REUSE_MAX tells it not to. The runner stores a result, the job's state and"
    " the next target's in one transaction a target, and is submitted as one job; with jobs of one"
    " target each has to be claimed as well. procrastinate slows down the more tasks wait. The bare"
    " loop makes the runner's two updates and marks no next target. Statements, transactions and"
    " flushes are the server's own counts of the draining alone, bytes those of its log (WAL)."
)
AT_ONCE = (
    "The runner: one process of 8 slots, and 16 jobs. procrastinate: 8 coroutines of one worker."
    " django-tasks-db: 8 worker processes, up before there is work. django-q2: a cluster of 8"
    " worker processes. Celery: 8 processes (prefork). huey: 8 threads. What survives what is as"
    " in the table before."
)


def on_postgresql(places: Places, scale: Scale, say: Say) -> Section:
    kinds = [*runners(places), bare(places), *peers(places)]
    with up(kinds, places, say) as systems:
        counts = _counted(systems, places, scale, say)
        submits: dict[str, list[float]] = {name: [] for name in systems}

        def turn(name: str, peer: Peer) -> float:
            submits[name].append(peer.fill(scale.items, 1))
            return peer.drain(scale.items, 1)

        turns = {name: partial(turn, name, peer) for name, peer in systems.items()}
        found = alternate(turns, scale.rounds, say, warm=True)
    lines = []
    for kind in kinds:
        name = kind.name
        lines.append(
            [
                name,
                f"{rate(found[name]):.0f}",
                _times(found, name),
                f"{rate(submits[name]):.0f}",
                *(_writes(counts.get(name))),
                kind.durable,
            ]
        )
    heads = ("", "a second", "runner against it", "submits a second", *_WRITES, "what survives")
    rows = [*_promised(found, 0), _by_many(places, scale)]
    for what in ("statements", "transactions", "flushes"):
        number = counts["runner"][what]
        # A job's claim and its reading ahead are a few statements a hundred targets.
        kept = 0.95 <= number <= 1.05
        rows.append(Row(f"{what} a target", f"{number:.2f}", "1, and reading ahead", kept))
    return Section(
        "Draining on PostgreSQL, one at a time",
        rows,
        _remark(ON_POSTGRESQL, places),
        Table(heads, lines),
        [_chart("one", "one at a time", found)],
        PACKAGES,
    )


def _by_many(places: Places, scale: Scale) -> Row:
    """procrastinate's own way to submit many, which is to be set beside a job of many targets."""
    environment = {"BENCH_DATABASE": places.postgresql("procrastinate-many")}
    with System("bench.peers.procrastinate_peer", **environment) as system:
        times = [system.ask("fill_at_once", count=scale.items) for _ in range(scale.rounds)]
    return Row("procrastinate, submits by `batch_defer`", f"{rate(times):.0f} a second")


_WRITES = ("statements", "transactions", "flushes", "bytes")


def _counted(
    systems: dict[str, Peer], places: Places, scale: Scale, say: Say
) -> dict[str, dict[str, float]]:
    """What the server did for an item of each system that works there. A round for warming up."""
    counts = {}
    with places.server.telling():
        for name, peer in systems.items():
            say(f"counting what {name} writes")
            peer.fill(scale.items, 1)
            if not peer.kind.database:
                peer.drain(scale.items, 1)
                continue
            peer.rest()
            before = places.server.counts(peer.kind.database)
            peer.drain(scale.items, 1)
            peer.rest()
            counts[name] = places.server.counts(peer.kind.database).since(before, scale.items)
    return counts


def _writes(counts: dict[str, float] | None) -> list[str]:
    if counts is None:
        return ["", "", "", ""]
    return [
        f"{counts[what]:,.0f}" if what == "bytes" else f"{counts[what]:.2f}" for what in _WRITES
    ]


def at_once(places: Places, scale: Scale, say: Say) -> Section:
    kinds = [*runners(places), *peers(places)]
    with up(kinds, places, say) as systems:
        turns = {
            name: partial(peer.turn, scale.items * (1 if peer.kind.database else 4), EIGHT)
            for name, peer in systems.items()
        }
        found = alternate(turns, scale.rounds, say)
    lines = [[name, f"{rate(found[name]):.0f}", _times(found, name)] for name in found]
    return Section(
        f"Draining on PostgreSQL, {EIGHT} at once",
        _promised(found, 1),
        _remark(AT_ONCE, places),
        Table(("", "a second", "runner against it"), lines),
        [_chart("eight", f"{EIGHT} at once", found)],
        PACKAGES,
    )


def _times(found: dict[str, list[float]], name: str) -> str:
    return "" if name == "runner" else f"{ratio(found[name], found['runner']):.2f} times"


def _promised(found: dict[str, list[float]], which: int) -> list[Row]:
    mine = found["runner"]
    return [
        at_least(f"against {name}", ratio(found[name], mine), least)
        for name, leasts in LEAST.items()
        if name in found and (least := leasts[which])
    ]


def _remark(words: str, places: Places) -> str:
    return words if places.redis else f"{words} Here {NO_REDIS}."


def _chart(name: str, how: str, found: dict[str, list[float]]) -> Chart:
    rates = {system: rate(times) for system, times in found.items()}
    told = ", ".join(f"{system} {number:.0f}" for system, number in rates.items())
    return Chart(
        f"bench-{name}",
        f"Draining, {how}",
        "items a second",
        f"Items a second, {how}: {told}",
        list(rates),
        {"items a second": list(rates.values())},
    )
