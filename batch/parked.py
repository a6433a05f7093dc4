"""Where drains wait whose next target has to wait for its lane: they hold no slot and no child."""

from __future__ import annotations

import heapq
import itertools
import threading
import time

from batch.drain import Drain


class Parked:
    """Slots put drains in, and the worker's main loop takes out those whose time has come."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heap: list[tuple[float, int, Drain]] = []
        self._order = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, drain: Drain, seconds: float) -> None:
        with self._lock:
            due_at = time.monotonic() + seconds
            heapq.heappush(self._heap, (due_at, next(self._order), drain))

    def take(self) -> Drain | None:
        """One that is due, the longest first."""
        with self._lock:
            if not self._heap or self._heap[0][0] > time.monotonic():
                return None
            return heapq.heappop(self._heap)[2]

    def next_at(self) -> float:
        """When the next one is due, by the monotonic clock; infinity when there is none."""
        with self._lock:
            return self._heap[0][0] if self._heap else float("inf")

    def drains(self) -> list[Drain]:
        with self._lock:
            return [drain for _, _, drain in self._heap]
