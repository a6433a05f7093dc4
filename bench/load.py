"""``python -m bench.load [--seconds N] [--write]``: many callers at once, for a while.

gunicorn with two processes of four threads, one worker, and callers who submit, poll, cancel and
read: 50 on PostgreSQL, 5 on SQLite. Nothing may be answered with 5xx, no cap be passed, and of
100 looks at a job's status the slowest may take 20 times as long as the one in the middle.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

from bench import marks
from bench.measure import Row, percentile
from bench.places import Places, django_on, places
from bench.process import Program, System, end_in_order
from bench.report import promise
from bench.web import Web

SECONDS = 30.0
PROCESSES, THREADS, SLOTS = 2, 4, 16
MOST_SPREAD = 20
DEEDS = ("submit", "status", "targets", "results", "list", "cancel", "retry")
SETTINGS = {"DJANGO_SETTINGS_MODULE": "bench.load_settings"}


@dataclass(frozen=True)
class Trial:
    name: str
    callers: int
    rows: list[Row]
    wrong: list[str]

    @property
    def kept(self) -> bool:
        return all(row.kept is not False for row in self.rows)


def trial(name: str, database: str, callers: int, jobs_total: int, seconds: float) -> Trial:
    environment = django_on(database, **SETTINGS, BENCH_JOBS_TOTAL=f"{jobs_total}")
    worker = ("-m", "django", "batch_worker", "--slots", f"{SLOTS}")
    with (
        System("bench.callers", **environment) as system,
        Program(*worker, **environment),
        Web("", workers=PROCESSES, threads=THREADS, **environment) as web,
    ):
        found = system.ask("load", callers=callers, seconds=seconds, port=web.port)
    return Trial(name, callers, list(_rows(found, seconds)), found["wrong"])


def _rows(found: dict[str, Any], seconds: float) -> Any:
    times, caps = found["seconds"], found["caps"]
    count = sum(len(each) for each in times.values())
    yield Row("requests", f"{count:,}, {count / seconds:.0f} a second")
    yield Row("wrong answers, 5xx or none", f"{found['wrongs']}", "0", found["wrongs"] == 0)
    for what, most, cap in (
        ("live jobs, the most at once", found["most"], "JOBS_TOTAL"),
        ("live jobs of one caller", found["most_of_one"], "JOBS_PER_CALLER"),
    ):
        kept = 0 < most <= caps[cap]
        yield Row(f"{what}, in {found['looks']:,} looks", f"{most}", f"up to {caps[cap]}", kept)
    refused = found["answers"].get("submit: 429", 0)
    yield Row("jobs drained", f"{found['drained']:,}", "some", found["drained"] > 0)
    yield Row("submits refused as busy", f"{refused:,}")
    for deed in DEEDS:
        if len(each := times.get(deed, [])) > 1:
            told = ", ".join(f"{percentile(each, p) * 1000:.0f}" for p in (50, 95, 99))
            yield Row(f"{deed}: median, p95, p99 of {len(each):,}", f"{told} ms")
    status = times.get("status", [])
    spread = percentile(status, 99) / percentile(status, 50) if len(status) > 1 else 0
    kept = 0 < spread < MOST_SPREAD
    yield Row("status: p99 against the median", f"{spread:.1f} times", f"under {MOST_SPREAD}", kept)


def trials(where: Places, seconds: float) -> list[Trial]:
    return [
        trial("PostgreSQL", where.postgresql("load"), 50, 4, seconds),
        trial("SQLite", where.sqlite("load"), 5, 2, seconds),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"default: {SECONDS:g}")
    parser.add_argument("--write", action="store_true", help="renew docs/performance.md")
    options = parser.parse_args()
    end_in_order()
    with places() as where:
        found = trials(where, options.seconds)
        lines = [
            marks.where(f"python -m bench.load --seconds {options.seconds:g}", where.server_url)
        ]
    for each in found:
        lines += ["", f"**{each.callers} callers on {each.name}**", ""]
        lines += ["| | measured | promised |", "|---|---|---|"]
        lines += [f"| {row.what} | {row.found} | {promise(row)} |" for row in each.rows]
        for told in each.wrong:
            print(f"{each.name}: {told}", file=sys.stderr)
    print("\n".join(lines))
    if options.write:
        marks.renew("performance.md", "load", ["", *lines, ""])
    return 0 if all(each.kept for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
