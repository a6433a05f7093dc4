"""Trying again: for errors that pass, within the target's clock, and not sooner than asked."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from batch.errors import FetchError

from .clock import Clock
from .errors import fail
from .limits import BACKOFF_BASE_SECONDS, BACKOFF_CAP_SECONDS, MAX_HOST_HOLD_SECONDS

T = TypeVar("T")

_SECONDS = re.compile(r"([0-9]{1,12})[0-9]*(\.[0-9]+)?\s*(?:s|secs?|seconds?)?", re.IGNORECASE)


class _Holds:
    """Until when each host asked this process to stay away."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def set(self, host: str, seconds: float) -> None:
        now = time.monotonic()
        with self._lock:
            self._until = {h: until for h, until in self._until.items() if until > now}
            # Of two answers to requests side by side the one that asks for more counts.
            until = now + min(seconds, MAX_HOST_HOLD_SECONDS)
            self._until[host] = max(until, self._until.get(host, 0.0))

    def remaining(self, host: str) -> float:
        with self._lock:
            return max(self._until.get(host, 0.0) - time.monotonic(), 0.0)


_holds = _Holds()


def with_retries(
    attempt: Callable[[], T], *, attempts: int, clock: Clock, host: str
) -> tuple[T, int]:
    """What ``attempt`` gives, and at which try.

    Raises its :class:`FetchError` when that does not pass, or when the tries or the time are
    used up; ``attempts`` in its meta counts the tries.
    """
    number = 0
    while True:
        _wait_for(host, clock, number)
        number += 1
        try:
            return attempt(), number
        except FetchError as error:
            error.meta = {**(error.meta or {}), "attempts": number}
            asked = error.meta.get("retry_after")
            if asked is not None:
                _holds.set(host, asked)
            if not error.retryable or number >= attempts:
                raise
            seconds = asked
            if seconds is None:
                # Full jitter: many targets that failed together do not come back together.
                cap = min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2 ** (number - 1))
                seconds = random.uniform(0, cap)
            if seconds >= clock.remaining():
                raise
            time.sleep(seconds)


def _wait_for(host: str, clock: Clock, number: int) -> None:
    seconds = _holds.remaining(host)
    if seconds and seconds >= clock.remaining():
        raise fail(
            "rate_limited",
            "the server asked for a pause that is longer than this target may take",
            "send fewer requests to this host, or try again later",
            retry_after=round(seconds, 3),
            attempts=number,
        )
    time.sleep(seconds)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, or None when it says nothing of use.

    ``30.0`` and ``120s`` are no valid header, and yet say what is meant. Of two headers, which
    arrive as one with a comma, the first counts.
    """
    text = headers.get("retry-after", "").strip()
    if seconds := _SECONDS.fullmatch(re.split("[,;]", text, maxsplit=1)[0].strip()):
        return float(f"{seconds[1]}{seconds[2] or ''}")
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
