"""How each peer is given its tasks where it has no way of its own to take many."""

from __future__ import annotations

import time
from collections.abc import Callable


def one_by_one(queue: Callable[[int], object], count: int) -> float:
    """Queue ``count`` tasks; the seconds each took."""
    started = time.perf_counter()
    for idx in range(count):
        queue(idx)
    return (time.perf_counter() - started) / count
