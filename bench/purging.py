"""A purge of many jobs while a worker drains: what it costs the worker, and how long it locks."""

from __future__ import annotations

import time
from contextlib import ExitStack

import psutil
import psycopg

from bench.kinds import runner
from bench.measure import Row, Say, Scale, Section, at_most
from bench.places import Places, django_on
from bench.process import Program, System

DATABASE = "purging"
JOB_TARGETS = 50_000
WINDOW_SECONDS = 10.0  # before the purge and after it
LOOK_SECONDS = 0.05
LONGEST_SECONDS = 600.0
LEAST = 0.7
OLDEST = (
    "SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) FROM pg_stat_activity"
    " WHERE datname = %s AND backend_type = 'client backend' AND state <> 'idle'"
)
REMARK = (
    "What `batch_purge` does, on PostgreSQL, beside a worker with one slot and thread isolation"
    f" whose targets do nothing. Its rate is held against that of {WINDOW_SECONDS:g} seconds before"
    f" the purge and {WINDOW_SECONDS:g} after it. Transactions are looked at from beside 20 times a"
    " second. Memory grows from the purge's tenth part to its end."
)


def purging(places: Places, scale: Scale, say: Say) -> Section:
    environment = django_on(places.postgresql(DATABASE))
    with ExitStack() as stack:
        visits = stack.enter_context(System("bench.visits", **environment))
        say(f"making {scale.expired:,} expired jobs")
        visits.ask("fill_expired", jobs=scale.expired)
        ours = stack.enter_context(System("bench.ours", **environment))
        ours.ask("fill", count=scale.waiting, jobs=scale.waiting // JOB_TARGETS)
        worker = stack.enter_context(runner(environment).workers(1)[0])
        watch = _Watch(places, ours, worker)
        say("draining alone")
        watch.settle()
        before = watch.rate(WINDOW_SECONDS)
        say("draining beside the purge")
        during, seconds, growth, purged = watch.beside(visits)
        say("draining alone again")
        after = watch.rate(WINDOW_SECONDS)
        assert ours.ask("done") < scale.waiting, "the worker ran out of work"
    kept = during / ((before + after) / 2)
    rows = [
        Row("purged", f"{purged:,} jobs in {seconds:.0f} s"),
        Row("drained before and after", f"{before:.0f} and {after:.0f} a second"),
        Row("drained beside it", f"{during:.0f} a second"),
        Row("of what it was", f"{kept:.2f}", f"over {LEAST:g}", kept > LEAST),
        at_most("longest transaction seen", watch.longest, 1, "s"),
        at_most("memory growth of the purge", growth[0], 10, "MB"),
        at_most("memory growth of the worker", growth[1], 10, "MB"),
    ]
    title = f"Purging {scale.expired:,} jobs of 5 targets while a worker drains"
    return Section(title, rows, REMARK)


class _Watch:
    """Looks at a worker, at a purge, and at the server's transactions."""

    def __init__(self, places: Places, ours: System, worker: Program) -> None:
        self.longest = 0.0
        self._places = places
        self._ours = ours
        self._worker = worker

    def settle(self) -> None:
        while not self._done():
            time.sleep(LOOK_SECONDS)
        time.sleep(1)

    def _done(self) -> int:
        assert self._worker.runs, "the worker ended"
        return int(self._ours.ask("done"))

    def rate(self, seconds: float) -> float:
        started, done = time.monotonic(), self._done()
        time.sleep(seconds)
        return (self._done() - done) / (time.monotonic() - started)

    def beside(self, visits: System) -> tuple[float, float, tuple[float, float], int]:
        """The worker's rate while a purge runs, how long that is, the growth of both in MB, and
        how many jobs went."""
        processes = psutil.Process(visits.pid), psutil.Process(self._worker.pid)
        sizes: list[tuple[int, int]] = []
        purged = None
        with psycopg.connect(self._places.server_url, autocommit=True) as connection:
            started, done = time.monotonic(), self._done()
            visits.begin("purge")
            while purged is None:
                if time.monotonic() - started > LONGEST_SECONDS:
                    raise RuntimeError("the purge did not end")
                (oldest,) = connection.execute(OLDEST, [DATABASE]).fetchone() or (None,)
                self.longest = max(self.longest, float(oldest or 0))
                sizes.append((processes[0].memory_info().rss, processes[1].memory_info().rss))
                purged = visits.answer(LOOK_SECONDS)
            seconds = time.monotonic() - started
            rate = (self._done() - done) / seconds
        early = sizes[len(sizes) // 10]
        purge, worker = ((max(size[at] for size in sizes) - early[at]) / 1e6 for at in (0, 1))
        return rate, seconds, (purge, worker), purged
