"""``python -m bench [--quick] [--write] [--only NAME]``."""

from __future__ import annotations

import argparse
import sys
import time

import psycopg

from bench import report
from bench.costs import costs
from bench.latency import waking
from bench.lists import exports, lists
from bench.measure import FULL, QUICK
from bench.pages import pages
from bench.places import places
from bench.rates import on_postgresql, on_sqlite

PARTS = {
    "postgresql": on_postgresql,
    "sqlite": on_sqlite,
    "waking": waking,
    "costs": costs,
    "pages": pages,
    "lists": lists,
    "exports": exports,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short look, for noisy numbers")
    parser.add_argument("--write", action="store_true", help="renew docs/performance.md")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write needs the whole run")
    scale = QUICK if options.quick else FULL
    started = time.monotonic()

    def say(words: str) -> None:
        print(f"[{time.monotonic() - started:4.0f} s] {words}", file=sys.stderr, flush=True)

    sections = []
    say("starting PostgreSQL")
    with places() as where:
        for name in options.only or PARTS:
            sections.append(PARTS[name](where, scale, say))
            report.show(sections[-1])
        if options.write:
            command = " ".join(["python -m bench", *(["--quick"] if options.quick else [])])
            with psycopg.connect(where.server_url) as connection:
                version = connection.info.parameter_status("server_version") or ""
            report.write(sections, command, version)
            say("docs/performance.md is renewed")
    broken = sum(row.kept is False for section in sections for row in section.rows)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
