"""What a worker uses that has nothing to do."""

from __future__ import annotations

import time
from contextlib import ExitStack

import psutil

from bench.measure import Say, Scale, Section, at_most
from bench.places import Places, django_on
from bench.process import Program, System

SETTLE_SECONDS = 5.0
WORKER = ("-m", "django", "batch_worker")
REMARK = (
    "A worker with four slots whose children are warm, and all its processes. The queries are those"
    " that PostgreSQL wrote into its log; on SQLite the worker asks the same, and 20 times a second"
    " for `PRAGMA data_version`, which reads no table."
)


def idle(places: Places, scale: Scale, say: Say) -> Section:
    databases = {"PostgreSQL": places.postgresql("idle"), "SQLite": places.sqlite("idle")}
    with ExitStack() as stack:
        stack.enter_context(places.server.telling())
        workers = {}
        for kind, database in databases.items():
            with System("bench.ours", **django_on(database)):
                pass  # the tables are there
            program = Program(*WORKER, **django_on(database))
            workers[kind] = stack.enter_context(program)
        say(f"idle workers for {scale.idle_seconds:g} s")
        time.sleep(SETTLE_SECONDS)
        families = {kind: program.family() for kind, program in workers.items()}
        asked = places.server.counts("idle").statements
        used = {kind: _used(family) for kind, family in families.items()}
        time.sleep(scale.idle_seconds)
        used = {kind: _used(family) - used[kind] for kind, family in families.items()}
        asked = places.server.counts("idle").statements - asked
    rows = [
        at_most(f"on {kind}, of a core", 100 * seconds / scale.idle_seconds, 0.5, "%")
        for kind, seconds in used.items()
    ]
    rows.append(at_most("queries on PostgreSQL", asked / scale.idle_seconds, 2, "a second"))
    return Section(f"An idle worker, for {scale.idle_seconds:g} seconds", rows, REMARK)


def _used(family: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in family if process.is_running())
