"""The public words of ``batch``: frozen values that cross every boundary.

Nothing here knows Django, so a fetch function can run in a process without it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any


@dataclass(frozen=True)
class Options:
    """What to do with one URL. A zero value means that the option was not given.

    ``extra`` is an object of the host project's own, passed to its fetch function untouched;
    it is refused unless the setting EXTRA_OPTIONS is true.
    """

    mode: str = ""
    question: str = ""
    pages: str = ""
    grep: str = ""
    jq: str = ""
    context: bool = False
    recover: bool = False
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    def given(self) -> dict[str, Any]:
        """The options that differ from their zero value, in field order, as JSON stores them."""
        return {
            name: value
            for name in OPTION_TYPES
            if (value := getattr(self, name))  # every zero value is false
        }


OPTION_TYPES: dict[str, type] = {
    option.name: {"str": str, "bool": bool}.get(str(option.type), dict)
    for option in dataclasses.fields(Options)
}
"""The options in field order, each with the type of its value."""


@dataclass(frozen=True)
class Target:
    """One URL and its options: the unit of work."""

    url: str
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Result:
    """What a fetch function returns: text, and a JSON object about it."""

    content: str
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FetchContext:
    """For whom a fetch function works, and until when.

    ``deadline`` is the moment (aware) at which the target's time is up and, under process
    isolation, its process is killed; None where there is no limit.
    """

    job_id: str = ""
    idx: int = 0
    caller: str = ""
    caller_class: str = ""
    deadline: datetime | None = None


FetchFunc = Callable[[FetchContext, Target], Result]


@dataclass(frozen=True)
class Job:
    """A job as :meth:`batch.runner.Runner.status` shows it. Times follow USE_TZ."""

    id: str
    status: str
    error: str
    targets_total: int
    targets_done: int
    targets_failed: int = 0
    caller: str = ""
    caller_class: str = ""
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    lease_expires_at: datetime | None = None
    worker: str = ""


@dataclass(frozen=True)
class TargetStatus:
    """A target as :meth:`batch.runner.Runner.status` shows it.

    ``result`` is set exactly when ``status`` is ``done``; ``error``, ``hint``, ``code`` and
    ``details`` tell about a failure.
    """

    idx: int
    url: str
    status: str
    result: Result | None
    error: str
    hint: str
    code: str
    details: dict[str, Any] | None


@dataclass(frozen=True)
class Config:
    """Limits of one :class:`batch.runner.Runner`. Zero (or None) means what settings say.

    ``ttl`` is a ``timedelta`` or a number of seconds: how long a job is kept after its last
    stored outcome.
    """

    ttl: timedelta | float | None = 0
    targets_per_job: int | None = 0
    jobs_per_caller: int | None = 0
    jobs_total: int | None = 0


@dataclass(frozen=True)
class Submission:
    """The answer to a submit; ``reused`` when a job of the same targets was still kept."""

    id: str
    reused: bool


@dataclass(frozen=True)
class Problem:
    """One reason why targets are refused.

    ``index`` is the target's place in the list, or None when the fault is not in one target;
    ``field`` names the option or the key at fault.
    """

    index: int | None
    field: str
    code: str
    message: str
    hint: str
