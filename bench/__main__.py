"""``python -m bench [--quick] [--write] [--only NAME] [--idle-seconds S]``."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import time

from bench import report
from bench.costs import costs
from bench.growth import growth
from bench.idle import idle
from bench.latency import waking
from bench.lists import exports, lists
from bench.measure import FULL, QUICK
from bench.memory import memory
from bench.pages import pages
from bench.places import places
from bench.purging import purging
from bench.rates import at_once, on_postgresql
from bench.sizes import sizes
from bench.slots import slots
from bench.sqlite import on_sqlite

PARTS = {
    "postgresql": on_postgresql,
    "at-once": at_once,
    "sqlite": on_sqlite,
    "waking": waking,
    "memory": memory,
    "costs": costs,
    "idle": idle,
    "sizes": sizes,
    "slots": slots,
    "pages": pages,
    "lists": lists,
    "growth": growth,  # after the lists, whose rows it uses
    "purging": purging,
    "exports": exports,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short look, for noisy numbers")
    parser.add_argument("--write", action="store_true", help="renew docs/performance.md")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone")
    parser.add_argument("--idle-seconds", type=float, help="how long to look at an idle worker")
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    if options.idle_seconds:
        scale = dataclasses.replace(scale, idle_seconds=options.idle_seconds)
    # As Ctrl-C does: the servers' processes and what is in Redis go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    started = time.monotonic()

    def say(words: str) -> None:
        print(f"[{time.monotonic() - started:4.0f} s] {words}", file=sys.stderr, flush=True)

    sections = {}
    say("starting PostgreSQL")
    with places() as where:
        for name in (name for name in PARTS if not options.only or name in options.only):
            sections[name] = PARTS[name](where, scale, say)
            report.show(sections[name])
            if options.write:  # at once: a later part that fails costs nothing
                only = [f"--only {name}"] if options.only else []
                long = options.idle_seconds and name == "idle"
                idle = [f"--idle-seconds {options.idle_seconds:g}"] if long else []
                quick = ["--quick"][: options.quick]
                command = " ".join(["python -m bench", *quick, *only, *idle])
                version = where.server.version()
                report.write(name, sections[name], [*PARTS], command, version)
                say(f"docs/performance.md has the new numbers of {name}")
    broken = sum(row.kept is False for section in sections.values() for row in section.rows)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
