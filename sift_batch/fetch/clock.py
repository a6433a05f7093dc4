"""The total clock of one target, and the clock of a conversion."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from types import FrameType

from .errors import fail, out_of_time
from .limits import DEADLINE_MARGIN_SECONDS


class Clock:
    """How much time a target has left.

    ``seconds`` is the limit; ``deadline`` (aware) is never passed. Sub-clocks made with
    :meth:`share` end earlier and never later than their parent.
    """

    def __init__(self, seconds: float, deadline: datetime | None = None) -> None:
        if deadline is not None:
            left = (deadline - datetime.now(UTC)).total_seconds()
            # A result has to be handed over as well before the deadline.
            seconds = min(seconds, left - min(DEADLINE_MARGIN_SECONDS, left * 0.05))
        self.seconds = max(seconds, 0.0)
        self._started = time.monotonic()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(self.seconds - self.elapsed(), 0.0)

    def check(self) -> None:
        """Raise ``timeout`` when nothing is left."""
        if self.remaining() <= 0:
            raise out_of_time(self.seconds)

    def bounded(self, seconds: float) -> float:
        """``seconds``, or what is left when that is less. Raises ``timeout`` at zero."""
        self.check()
        return min(seconds, max(self.remaining(), 0.001))

    def share(self, part: float) -> Clock:
        """A clock that gets ``part`` of the time that is left."""
        return Clock(self.remaining() * part)


class _Alarm(BaseException):
    """Not an Exception, so that no library's broad ``except`` swallows it."""


@contextlib.contextmanager
def conversion_clock(seconds: float, clock: Clock) -> Iterator[None]:
    """End Python code that converts for longer than ``seconds``, with ``too_complex``.

    Signals reach only the main thread: elsewhere there is no such clock. C code that never
    returns is ended by the target's own process limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise _Alarm

    limit = clock.bounded(seconds)
    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    # It rings again each second in case the first ring is lost inside a C callback.
    others, interval = signal.setitimer(signal.ITIMER_REAL, limit, 1.0)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Alarm:
        if limit < seconds:
            raise out_of_time(clock.seconds) from None
        raise fail(
            "too_complex",
            f"the document could not be converted within {seconds:g} s",
            "ask for mode raw, or for fewer pages of a PDF",
        ) from None
    finally:
        # None stands for a handler that is not Python's: it cannot be put back from here.
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
        if others:  # somebody else's timer goes on where it was
            rest = max(others - (time.monotonic() - started), 0.001)
            signal.setitimer(signal.ITIMER_REAL, rest, interval)
