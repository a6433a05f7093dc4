"""A system that may be measured: how it is asked, and how its workers are started."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from bench.places import Places
from bench.process import Program, System

LONGEST_SECONDS = 240.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Kind:
    """What there is to know of a system.

    ``worker`` makes the command of a worker that does so many items at a time. ``inside``: up to
    so many at a time it works in the process that is asked, so that no start is measured.
    ``single``: a worker does one at a time, so that more are more workers; they have to be up
    before there is work, and ``eager`` are their options for that. ``jobs``: of the runner, in
    how many jobs so many targets come for so many slots.
    """

    name: str
    module: str
    environment: dict[str, str]
    durable: str
    database: str = ""  # its name on the server, where it is on that
    worker: Callable[[int], tuple[str, ...]] | None = None
    inside: int = 0
    single: bool = False
    eager: tuple[str, ...] = ()
    jobs: Callable[[int, int], int] | None = None

    def start(self) -> System:
        return System(self.module, **self.environment)

    def workers(self, concurrency: int, *options: str) -> list[Program]:
        assert self.worker
        count, each = (concurrency, 1) if self.single else (1, concurrency)
        environment = {**self.environment, "BENCH_CONCURRENCY": str(each)}
        return [Program(*self.worker(each), *options, **environment) for _ in range(count)]


class Peer:
    """A system that is up, and what it did last."""

    def __init__(self, kind: Kind, places: Places, system: System) -> None:
        self.kind = kind
        self._places = places
        self._system = system

    def rest(self) -> None:
        """Let go of the connections, so that the server counts what they did."""
        self._system.ask("rest")

    def fill(self, count: int, concurrency: int) -> float:
        """Submit items that do nothing; seconds an item."""
        how = {"jobs": self.kind.jobs(count, concurrency)} if self.kind.jobs else {}
        return float(self._system.ask("fill", count=count, **how))

    def drain(self, count: int, concurrency: int) -> float:
        """Work through the items that wait; seconds an item."""
        if concurrency <= self.kind.inside:
            how = {"concurrency": concurrency} if concurrency > 1 else {}
            return float(self._system.ask("drain", count=count, **how))
        with ExitStack() as stack:
            for program in self.kind.workers(concurrency):
                stack.enter_context(program)
            return self.wait(count)

    def turn(self, count: int, concurrency: int) -> float:
        """Submit and work through; seconds an item, of the working."""
        if self.kind.single and concurrency > self.kind.inside:
            return self._turn_of_many(count, concurrency)
        self.fill(count, concurrency)
        return self.drain(count, concurrency)

    def _turn_of_many(self, count: int, concurrency: int) -> float:
        connected = self._places.server.connections(self.kind.database)
        with ExitStack() as stack:
            for program in self.kind.workers(concurrency, *self.kind.eager):
                stack.enter_context(program)
            ends = time.monotonic() + LONGEST_SECONDS
            while self._places.server.connections(self.kind.database) < connected + concurrency:
                if time.monotonic() > ends:
                    raise RuntimeError(f"the workers of {self.kind.name} did not start")
                time.sleep(LOOK_SECONDS)
            self._system.ask("fill_at_once", count=count)
            return self.wait(count)

    def wait(self, count: int) -> float:
        """Until all items have ended; seconds an item, as the system itself tells."""
        ends = time.monotonic() + LONGEST_SECONDS
        while (found := self._system.ask("ended", count=count)) is None:
            if time.monotonic() > ends:
                raise RuntimeError(f"{self.kind.name} did not end {count} items")
            time.sleep(LOOK_SECONDS)
        return float(found)

    def submit_stamped(self) -> int:
        return int(self._system.ask("submit_stamped"))
