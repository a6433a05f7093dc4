"""Lists of a million jobs, and the results of a large one, over HTTP."""

from __future__ import annotations

import statistics
from pathlib import Path

import psutil

from bench.measure import Row, Say, Scale, Section, at_most
from bench.places import Places, django_on
from bench.process import System
from bench.web import Web

VISITS = 5
MOST_SECONDS = 0.3
RESULT_CHARS = 100_000
MOST_FIRST_SECONDS = 1.0
MOST_GROWTH_MB = 50
ON_LISTS = (
    "PostgreSQL with its default settings, gunicorn with one process. The median of five visits;"
    " the first is the one before them, and finds the tables in the system's memory at most."
    " `bench/crowd.py` says how the rows are spread."
)
ON_EXPORTS = (
    "PostgreSQL and gunicorn as above. Memory is the web process's own, its peak less what it had"
    " before the request."
)


def lists(places: Places, scale: Scale, say: Say) -> Section:
    environment = django_on(places.postgresql("lists"))
    with System("bench.visits", **environment) as visits:
        say(f"making {scale.crowd:,} jobs and {5 * scale.crowd:,} targets")
        made = visits.ask("fill", jobs=scale.crowd)
        cookie, addresses = visits.ask("log_in"), visits.ask("addresses")
        rows = [Row("making the rows", f"{made:.0f} s")]
        say(f"visiting {len(addresses)} lists")
        with Web(cookie, **environment) as web:
            rows += [_visited(web, name, path) for name, path in addresses]
        seconds = statistics.median(visits.ask("count_expired") for _ in range(VISITS))
        rows.append(at_most("`batch_purge --dry-run`", seconds, MOST_SECONDS, "s"))
    title = f"Lists of {scale.crowd:,} jobs and {5 * scale.crowd:,} targets"
    return Section(title, rows, ON_LISTS)


def _visited(web: Web, name: str, path: str) -> Row:
    first = web.get(path).seconds
    seconds = statistics.median(web.get(path).seconds for _ in range(VISITS))
    found = f"{seconds:.3f} s, first {first:.3f} s"
    return Row(name, found, f"under {MOST_SECONDS:g} s", seconds < MOST_SECONDS)


def exports(places: Places, scale: Scale, say: Say) -> Section:
    environment = django_on(places.postgresql("exports"))
    with System("bench.visits", **environment) as visits:
        say(f"making a job of {scale.results:,} targets with {RESULT_CHARS:,} characters each")
        small = visits.ask("fill_one", targets=1, size=RESULT_CHARS)
        large = visits.ask("fill_one", targets=scale.results, size=RESULT_CHARS)
        with Web(visits.ask("log_in"), **environment) as web:
            rows = [_exported(web, form, small, large, say) for form in ("jsonl", "csv", "zip")]
    return Section(f"Results of {scale.results:,} targets as a file", rows, ON_EXPORTS)


def _exported(web: Web, form: str, small: str, large: str, say: Say) -> Row:
    say(f"reading them as {form}")
    web.get(f"/api/jobs/{small}/results.{form}")  # what the form needs is imported
    worker = web.worker
    Path(f"/proc/{worker.pid}/clear_refs").write_text("5")  # the peak begins anew
    before = worker.memory_info().rss
    answer = web.get(f"/api/jobs/{large}/results.{form}")
    growth = (_peak(worker) - before) / 1e6
    kept = answer.first_seconds < MOST_FIRST_SECONDS and growth < MOST_GROWTH_MB
    return Row(
        f"{form}: {answer.size / 1e6:,.0f} MB in {answer.seconds:.0f} s",
        f"first byte after {answer.first_seconds:.3f} s, {growth:.1f} MB of memory",
        f"under {MOST_FIRST_SECONDS:g} s, under {MOST_GROWTH_MB} MB",
        kept,
    )


def _peak(process: psutil.Process) -> int:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(kilobytes) * 1024
