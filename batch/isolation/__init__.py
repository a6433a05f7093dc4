"""How one target's fetch function is kept from harming the worker.

An :class:`Isolation` runs the targets of one drain, one at a time. ``process`` has a child that
is killed at the time limit, has a memory limit, and may die; ``thread`` calls the function
where it is and can enforce neither limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from batch.outcome import Outcome, judge
from batch.words import FetchContext, FetchFunc, Target

if TYPE_CHECKING:  # a child without Django imports this package too
    from batch.conf import Settings
    from batch.isolation.process import Nursery


class ChildFailedError(Exception):
    """A child did not come up; the message says why in one line."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one target may use. No memory limit when ``memory_bytes`` is 0."""

    timeout_seconds: float
    memory_bytes: int
    result_max_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        return cls(
            timeout_seconds=settings.target_timeout_seconds,
            memory_bytes=settings.target_memory_bytes,
            result_max_bytes=settings.result_max_bytes,
        )


class Isolation(Protocol):
    """Runs targets one at a time, for the thread that drains a job."""

    def warm(self) -> object:
        """Get ready for a first target. Raises :class:`ChildFailedError`."""

    def run(self, context: FetchContext, target: Target) -> Outcome:
        """Fetch one target; whatever happens is its outcome."""

    def kill(self) -> None:
        """End the fetch in hand, if that can be done. Called from another thread."""

    def close(self) -> None:
        """Give up what is held; nothing runs any more."""


class InThread:
    """Calls the fetch function in the thread that drains."""

    def __init__(self, fetch: FetchFunc, limits: Limits) -> None:
        self._fetch = fetch
        self._limits = limits

    def warm(self) -> None:
        """It is always ready."""

    def run(self, context: FetchContext, target: Target) -> Outcome:
        return judge(self._fetch, context, target, self._limits.result_max_bytes)

    def kill(self) -> None:
        """A thread cannot be killed: the worker leaves it behind when it ends."""

    def close(self) -> None:
        """Nothing is held."""


class Isolator:
    """Makes an :class:`Isolation` for each drain of one process, as the settings say."""

    def __init__(self, fetch: FetchFunc, settings: Settings) -> None:
        """Raises ``ImproperlyConfigured`` when ``fetch`` cannot be sent to a child."""
        self._fetch = fetch
        self._limits = Limits.of(settings)
        self._nursery: Nursery | None = None
        if settings.isolation == "process":
            from batch.isolation.process import (
                Nursery as _Nursery,  # a thread needs none of its machinery
            )

            self._nursery = _Nursery(fetch, self._limits, django=settings.child_django)

    def isolation(self) -> Isolation:
        if self._nursery is None:
            return InThread(self._fetch, self._limits)
        from batch.isolation.process import InChild

        return InChild(self._nursery)

    def check(self) -> None:
        """See the fetch function load. Raises :class:`ChildFailedError`."""
        trial = self.isolation()
        trial.warm()
        trial.close()

    def close(self) -> None:
        if self._nursery is not None:
            self._nursery.close()
