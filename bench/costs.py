"""What the runner uses up: a child's share of each target, big jobs, memory."""

from __future__ import annotations

import time

import psutil

from bench.measure import Row, Say, Scale, Section, at_most
from bench.places import Places, django_on
from bench.process import Program, System

LONGEST_SECONDS = 300.0
WORKER = ("-m", "django", "batch_worker")
REMARK = (
    "The child's cost is the median of a call that does nothing, less that in a thread. Memory is"
    " the worker's own, on SQLite, with process isolation."
)


def costs(places: Places, scale: Scale, say: Say) -> Section:
    say(f"{scale.calls} calls in a thread and in a child")
    with System("bench.ours", **django_on(places.sqlite("costs"))) as runner:
        child = runner.ask("isolate", calls=scale.calls)
        say(f"submitting {scale.big_job} targets")
        seconds = runner.ask("submit", count=scale.big_job)
    rows = [
        at_most("a child process, a target", child * 1000, 1, "ms"),
        at_most(f"submitting {scale.big_job:,} targets on SQLite", seconds, 10, "s"),
        _memory(places, scale, say),
    ]
    return Section("What it uses", rows, REMARK)


def _memory(places: Places, scale: Scale, say: Say) -> Row:
    say(f"draining {scale.megabytes} targets of a megabyte")
    environment = django_on(places.sqlite("memory"), BENCH_FETCH="bench.fetches.megabyte")
    early = 0
    with System("bench.ours", **environment) as runner:
        runner.ask("submit", count=scale.megabytes)
        with Program(*WORKER, "--slots", "1", **environment) as worker:
            process = psutil.Process(worker.pid)
            ends = time.monotonic() + LONGEST_SECONDS
            while (done := runner.ask("progress")) < scale.megabytes:
                if time.monotonic() > ends or not worker.runs:
                    raise RuntimeError(f"{done} of {scale.megabytes} targets were drained")
                if not early and done >= 100:
                    early = process.memory_info().rss
                time.sleep(0.05)
            growth = (process.memory_info().rss - early) / 1e6
    what = f"memory growth after 100 of {scale.megabytes:,} targets of 1 MB"
    return at_most(what, growth, 50, "MB")
