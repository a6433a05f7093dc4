"""What a benchmark says, and how often it has to look to say it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.charts import Chart

Say = Callable[[str], None]


@dataclass(frozen=True)
class Scale:
    """How long a run is to look."""

    rounds: int
    items: int  # of each system in a round, one at a time or in 16 jobs for 8 slots
    targets: int
    submits: int
    idle_seconds: float
    calls: int
    big_job: int
    megabytes: int
    pages: int
    crowd: int
    results: int
    expired: int  # jobs to be purged
    waiting: int  # targets for a worker to drain meanwhile


FULL = Scale(
    rounds=5,
    items=960,
    targets=2000,
    submits=100,
    idle_seconds=60.0,
    calls=2000,
    big_job=100_000,
    megabytes=2000,
    pages=240,
    crowd=1_000_000,
    results=10_000,
    expired=200_000,
    waiting=800_000,
)
QUICK = Scale(
    rounds=5,
    items=320,
    targets=1000,
    submits=20,
    idle_seconds=15.0,  # one period of a worker's renewals
    calls=300,
    big_job=20_000,
    megabytes=300,
    pages=96,
    crowd=50_000,
    results=1000,
    expired=20_000,
    waiting=150_000,
)


@dataclass(frozen=True)
class Row:
    """One line of the table. ``kept`` is None where nothing is promised."""

    what: str
    found: str
    promise: str = ""
    kept: bool | None = None


@dataclass(frozen=True)
class Table:
    """What does not fit the rows: a line for each system, mostly."""

    heads: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Section:
    title: str
    rows: Sequence[Row]
    remark: str
    table: Table | None = None
    charts: Sequence[Chart] = ()
    beside: Sequence[str] = ()  # packages whose versions matter


def alternate(
    systems: Mapping[str, Callable[[], float]], rounds: int, say: Say, *, warm: bool = False
) -> dict[str, list[float]]:
    """Measure the systems in turns, each round in another order: what else the machine does
    then falls on all of them alike. One round before the first is for warming up, where they
    are not ``warm`` already."""
    found: dict[str, list[float]] = {name: [] for name in systems}
    names = list(systems)
    for name in names if not warm else ():
        systems[name]()
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            found[name].append(systems[name]())
        last = ", ".join(f"{name} {found[name][-1] * 1e6:.0f}" for name in names)
        say(f"round {number + 1} of {rounds}, microseconds each: {last}")
    return found


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """How many times as fast as they: the median of the rounds' own ratios, since a round's
    halves met the same noise."""
    return statistics.median(peer / own for peer, own in zip(theirs, ours, strict=True))


def percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def rate(times: Sequence[float]) -> float:
    """How many a second, at the median."""
    return 1 / statistics.median(times)


def at_least(what: str, found: float, least: float) -> Row:
    return Row(what, f"{found:.2f} times", f"at least {least:g}", found >= least)


def at_most(what: str, found: float, most: float, unit: str) -> Row:
    return Row(what, f"{found:.3g} {unit}", f"under {most:g} {unit}", found < most)


def draining(name: str, title: str, found: Mapping[str, Sequence[float]], what: str) -> Chart:
    """A chart of how the rate changes from one of ``found`` to the next, each a number of
    ``what``."""
    rates = [rate(times) for times in found.values()]
    told = ", ".join(
        f"{number:.0f} with {places} {what}" for places, number in zip(found, rates, strict=True)
    )
    return Chart(
        name,
        title,
        "targets a second",
        f"Targets a second: {told}",
        [f"{places} {what}" for places in found],
        {"PostgreSQL, one at a time": rates},
        lines=True,
    )
