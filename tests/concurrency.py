"""Many threads at once, and waiting for something to become true."""

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connections


def run_threads(n: int, function: Callable[[int], Any], seconds: float = 60) -> list[Any]:
    """Calls `function(i)` in `n` threads that start together.

    Gives back what each returned, or the exception it raised, in order.
    """
    barrier = threading.Barrier(n)
    answers: list[Any] = [None] * n

    def call(i: int) -> None:
        try:
            barrier.wait(seconds)
            answers[i] = function(i)
        except BaseException as error:
            answers[i] = error
        finally:
            # A connection belongs to its thread; left open it would keep the test database in use.
            connections.close_all()

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(n)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    hanging = [i for i, thread in enumerate(threads) if thread.is_alive()]
    assert not hanging, f"threads {hanging} did not end within {seconds} s"
    return answers


def eventually(question: Callable[[], Any], seconds: float = 15, pause: float = 0.02) -> Any:
    """Asks until the answer is true, and gives it back; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not (answer := question()):
        assert time.monotonic() < end, (
            f"not true within {seconds} s, the last answer was {answer!r}"
        )
        time.sleep(pause)
    return answer


def rounds(full: int) -> int:
    """How often a long trial is repeated: `full` times, or TEST_ROUNDS for a shorter look."""
    return min(full, int(os.environ.get("TEST_ROUNDS", full)))
