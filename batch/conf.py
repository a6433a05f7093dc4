"""The settings dict ``BATCH``, checked and turned into one frozen value.

It is read where it is used and nothing is cached, so ``override_settings`` works as a test's
author expects. Units stand in the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured

from batch.words import Config

WEEK = 7 * 86400
MOST = 2**31 - 1  # what a count may be: a column, a LIMIT and a semaphore all take it
CAPS = ("TARGETS_PER_JOB", "JOBS_PER_CALLER", "JOBS_TOTAL")
DISPATCHES = ("worker", "thread", "celery")
ISOLATIONS = ("process", "thread")


@dataclass(frozen=True, kw_only=True)
class Caps:
    """How much one caller class may submit."""

    targets_per_job: int
    jobs_per_caller: int
    jobs_total: int


@dataclass(frozen=True, kw_only=True)
class LaneRules:
    """How targets go through a lane: how many at a time (None: any number), and how long after
    one began or ended the next may begin."""

    per_lane: int | None
    pause: timedelta


@dataclass(frozen=True, kw_only=True)
class Settings:
    """``BATCH`` with its defaults. Field names are the keys in lower case."""

    fetch: str | None = None
    child_django: bool = True
    extra_options: bool = False
    lane: str | None = None
    per_lane: int | None = None
    lane_pause_seconds: float | None = None
    waiters: int = 2
    validate: str | None = None
    ttl_seconds: float | timedelta = 86400
    targets_per_job: int = 32
    jobs_per_caller: int = 1
    jobs_total: int = 8
    classes: Mapping[str, Mapping[str, int]]
    target_timeout_seconds: float = 120
    target_memory_bytes: int = 1024**3
    result_max_bytes: int = 5 * 1024**2
    isolation: str = "process"
    dispatch: str = "worker"
    body_max_bytes: int = 10 * 1024**2
    claim_seconds: float = 60
    caller: str = "batch.api.callers.user"

    @property
    def ttl(self) -> timedelta:
        return as_timedelta(self.ttl_seconds)

    @property
    def lane_rules(self) -> LaneRules | None:
        """None where lanes are mere labels."""
        if self.per_lane is None and self.lane_pause_seconds is None:
            return None
        pause = timedelta(seconds=self.lane_pause_seconds or 0)
        return LaneRules(per_lane=self.per_lane, pause=pause)

    def caps(self, caller_class: str, config: Config | None = None) -> Caps:
        """The caps of a class: a non-zero field of ``config`` wins over the class's number,
        and that over the setting."""
        own = self.classes.get(caller_class, {})

        def cap(key: str) -> int:
            given = getattr(config, key.lower()) if config else 0
            return min(int(given or own.get(key) or getattr(self, key.lower())), MOST)

        return Caps(**{key.lower(): cap(key) for key in CAPS})


KEYS = tuple(field.name.upper() for field in fields(Settings))


@dataclass(frozen=True)
class Fault:
    """A key of ``BATCH`` that cannot be used, and what to write instead."""

    key: str
    message: str
    hint: str


def settings() -> Settings:
    """The settings as they are now.

    Raises ``ImproperlyConfigured`` with the first fault that ``manage.py check`` would list.
    """
    raw = getattr(django_settings, "BATCH", {})
    for fault in faults(raw):
        raise ImproperlyConfigured(f"{fault.message} ({fault.hint})")
    return Settings(**{"classes": {}, **{key.lower(): value for key, value in raw.items()}})


def faults(raw: Any) -> list[Fault]:
    """Everything that is wrong with a ``BATCH`` dict."""
    if not isinstance(raw, Mapping):
        return [Fault("", "BATCH is not a dict", "write BATCH = {...} in your settings")]
    found = []
    for key, value in raw.items():
        if key not in KEYS:
            found.append(
                Fault(str(key), f"BATCH has no key {key!r}", "the keys are " + ", ".join(KEYS))
            )
        elif hint := _RULES[key](value):
            found.append(Fault(key, f"BATCH[{key!r}] cannot be {value!r}", hint))
    return found


def as_timedelta(value: float | timedelta) -> timedelta:
    return value if isinstance(value, timedelta) else timedelta(seconds=value)


# One rule a key: the hint for a bad value, or nothing. Zero is no limit for TARGET_MEMORY_BYTES
# alone; anywhere else it would switch the runner off without a word.


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _seconds(value: Any) -> str:
    # A century bounds what date arithmetic on every database still takes.
    ok = _is_number(value) and 0 < value <= 100 * 365 * 86400
    return "" if ok else "give a number of seconds above 0, up to a century"


def _ttl(value: Any) -> str:
    return _seconds(value.total_seconds() if isinstance(value, timedelta) else value)


def _timeout(value: Any) -> str:
    # The system waits for 24 days at most (poll() takes milliseconds as a C int).
    ok = not _seconds(value) and value <= WEEK
    return "" if ok else f"give a number of seconds above 0, up to {WEEK:,} (a week)"


def _count(value: Any) -> str:
    ok = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST
    return "" if ok else f"give a whole number above 0, up to {MOST:,}"


def _memory(value: Any) -> str:
    ok = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62
    return "" if ok else "give a whole number of bytes that a machine may have, or 0 for no limit"


def _optional(rule: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else (hint := rule(value)) and f"{hint}, or None"


def _flag(value: Any) -> str:
    return "" if isinstance(value, bool) else "give True or False"


def _path(value: Any) -> str:
    parts = value.split(".") if isinstance(value, str) else []
    ok = len(parts) > 1 and all(part.isidentifier() for part in parts)
    return "" if ok else 'give a dotted path such as "myproject.module.name"'


def _dispatch(value: Any) -> str:
    if value in DISPATCHES:
        return ""
    return _path(value) and f"give one of {', '.join(DISPATCHES)}, or a function's dotted path"


def _isolation(value: Any) -> str:
    return "" if value in ISOLATIONS else f"give one of {', '.join(ISOLATIONS)}"


def _classes(value: Any) -> str:
    ok = isinstance(value, Mapping) and all(
        isinstance(name, str)
        and isinstance(caps, Mapping)
        and all(cap in CAPS and not _count(number) for cap, number in caps.items())
        for name, caps in value.items()
    )
    hint = 'give caps by class, such as {"staff": {"TARGETS_PER_JOB": 500}}; caps are '
    return "" if ok else hint + ", ".join(CAPS)


_RULES: dict[str, Callable[[Any], str]] = {
    "FETCH": _optional(_path),
    "CHILD_DJANGO": _flag,
    "EXTRA_OPTIONS": _flag,
    "LANE": _optional(_path),
    "PER_LANE": _optional(_count),
    "LANE_PAUSE_SECONDS": _optional(_seconds),
    "WAITERS": _count,
    "VALIDATE": _optional(_path),
    "TTL_SECONDS": _ttl,
    "TARGETS_PER_JOB": _count,
    "JOBS_PER_CALLER": _count,
    "JOBS_TOTAL": _count,
    "CLASSES": _classes,
    "TARGET_TIMEOUT_SECONDS": _timeout,
    "TARGET_MEMORY_BYTES": _memory,
    "RESULT_MAX_BYTES": _count,
    "ISOLATION": _isolation,
    "DISPATCH": _dispatch,
    "BODY_MAX_BYTES": _count,
    "CLAIM_SECONDS": _seconds,
    "CALLER": _path,
}
