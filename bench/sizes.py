"""What a target costs in jobs of all sizes."""

from __future__ import annotations

from functools import partial

from bench.kinds import runner
from bench.measure import Row, Say, Scale, Section, alternate, draining, rate, ratio
from bench.places import Places, django_on

SMALL = 32
MIDDLE = 1000
ROUNDS = 3  # a large job takes long enough to even out what else happens
SHARE = 10  # of the large job's targets, in the smaller ones of a round
MOST = 1.15
REMARK = (
    "One job after the other on PostgreSQL, from its claim to its end, by the same loop as above. A"
    " job's own cost, its claim and its first reading, is spread over its targets."
)


def sizes(places: Places, scale: Scale, say: Say) -> Section:
    large = scale.big_job
    kind = runner(django_on(places.postgresql("sizes")))
    with kind.start() as system:

        def turn(size: int) -> float:
            jobs = max(1, large // SHARE // size)
            system.ask("fill", count=jobs * size, jobs=jobs)
            return float(system.ask("drain", count=jobs * size))

        turn(MIDDLE)
        names = {f"{size:,}": size for size in (SMALL, MIDDLE, large)}
        turns = {name: partial(turn, size) for name, size in names.items()}
        found = alternate(turns, ROUNDS, say, warm=True)
    rows = [Row(f"jobs of {name}", _rate(times)) for name, times in found.items()]
    first, *_, last = found.values()
    # The cost of one in a large job, in those of one in a small job.
    dearer = ratio(last, first)
    what = f"cost in a job of {large:,}, against one of {SMALL}"
    rows.append(Row(what, f"{dearer:.2f} times", f"at most {MOST:g}", dearer <= MOST))
    title = "Draining jobs of 32, 1,000 and more targets"
    chart = draining("bench-sizes", title, found, "targets a job")
    return Section("Small jobs and large ones", rows, REMARK, charts=[chart])


def _rate(times: list[float]) -> str:
    return f"{rate(times):.0f} a second ({1e6 / rate(times):.0f} µs each)"
