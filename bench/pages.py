"""Pages a second through the whole pipeline, beside trafilatura alone on the same documents."""

from __future__ import annotations

import statistics

from bench.measure import Row, Say, Scale, Section, alternate, at_least, ratio
from bench.places import Places, django_on
from bench.process import Program, System

REMARK = (
    "Made pages of some 125 kB and 1000 elements. The runner fetches each over loopback by the"
    " whole pipeline in a warm child (guard, decoding, sniffing, Markdown, facts) and stores it on"
    " SQLite, and its web server takes its share of the two cores; trafilatura gets each as a"
    " string in its own process, and nothing is fetched or stored."
)


def pages(places: Places, scale: Scale, say: Say) -> Section:
    environment = django_on(places.sqlite("pages"))
    with (
        System("bench.site") as site,
        System("bench.ours", **environment) as runner,
        System("bench.peers.trafilatura_peer") as trafilatura,
    ):
        port = site.ask("port")
        environment |= {"BENCH_FETCH": "sift_batch.wiring.fetch", "BENCH_PORT": str(port)}

        def through(slots: int) -> float:
            return _through(runner, port, slots, scale.pages, environment)

        found = alternate(
            {
                "runner, 1 slot": lambda: through(1),
                "runner, 2 slots": lambda: through(2),
                "trafilatura": lambda: trafilatura.ask("read", count=scale.pages),
            },
            scale.rounds,
            say,
        )
    rows = [
        Row(name, f"{1 / statistics.median(times):.0f} pages a second")
        for name, times in found.items()
    ]
    one, two = found["runner, 1 slot"], found["runner, 2 slots"]
    rows.append(at_least("against trafilatura", ratio(found["trafilatura"], one), 0.7))
    rows.append(at_least("2 slots against 1", ratio(one, two), 1.6))
    return Section("Reading pages", rows, REMARK, beside=["trafilatura"])


def _through(
    runner: System, port: int, slots: int, count: int, environment: dict[str, str]
) -> float:
    """Seconds a page: a job for each slot, from the first page's start to the last one's end."""
    jobs = [runner.ask("submit_pages", port=port, count=count) for _ in range(slots)]
    worker = ("-m", "django", "batch_worker", "--slots", str(slots), "--exit-when-idle")
    with Program(*worker, **environment) as program:
        program.wait()
    return float(runner.ask("took", jobs=jobs)) / (slots * count)
