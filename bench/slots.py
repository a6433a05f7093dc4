"""How a worker's rate grows with its slots."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bench.charts import Chart
from bench.kinds import runners, up
from bench.measure import Say, Scale, Section, Table, alternate, rate
from bench.places import Places

SLOTS = (1, 2, 4, 8, 16, 32)
JOBS = 2 * SLOTS[-1]
ROUNDS = 3
REMARK = (
    f"A worker process on PostgreSQL, {JOBS} jobs, and targets that do nothing: all its slots share"
    " one Python, so that two cores are in full use from a few slots on. Real fetches wait, and"
    " then each slot adds its own rate; [reading pages](#reading-pages) has an example."
)


def slots(places: Places, scale: Scale, say: Say) -> Section:
    kinds = [
        replace(kind, inside=0, jobs=lambda count, concurrency: JOBS)
        for kind in runners(places)[:2]
    ]
    names = {"threads": kinds[0].name, "child processes": kinds[1].name}
    count = scale.items // JOBS * JOBS * 2
    with up(kinds, places, say) as systems:
        turns = {
            f"{number} slots, {how}": partial(systems[name].turn, count, number)
            for number in SLOTS
            for how, name in names.items()
        }
        found = alternate(turns, ROUNDS, say, warm=True)
    rates = {how: [rate(found[f"{number} slots, {how}"]) for number in SLOTS] for how in names}
    lines = [
        [str(number), *(f"{rates[how][at]:.0f} a second" for how in names)]
        for at, number in enumerate(SLOTS)
    ]
    told = "; ".join(
        f"{how}: {', '.join(f'{number:.0f}' for number in rates[how])}" for how in names
    )
    chart = Chart(
        "bench-slots",
        "One worker with more slots",
        "targets a second",
        f"Targets a second with 1, 2, 4, 8, 16 and 32 slots. {told}",
        [str(number) for number in SLOTS],
        rates,
        lines=True,
    )
    return Section("More slots", [], REMARK, Table(("slots", *names), lines), [chart])
