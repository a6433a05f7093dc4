"""Every error that ``batch`` raises on purpose.

::

    BatchError
    ├── CapError                                        .cap
    │   ├── TooManyTargetsError  "too many targets ..." .limit .count
    │   ├── CallerBusyError      "busy ..."             .job_id
    │   └── JobsBusyError        "jobs busy ..."
    ├── InvalidTargetsError    "invalid targets ..."    .problems
    ├── UnknownJobError        "unknown job ..."        .job_id
    ├── JobLiveError           "job live ..."           .job_id
    └── NothingToRetryError    "nothing to retry ..."   .job_id
    FetchError                 what a fetch function raises, about one target

A refusal (:class:`BatchError`) has stored nothing: the caller may change the request and
submit again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from batch.words import Problem


class BatchError(Exception):
    """A request that the runner refused. Nothing was stored."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Their arguments are not what Exception keeps: process pools and task queues pickle it.
        return (_batch_error, (type(self), self.args, vars(self)))


def _batch_error(
    kind: type[BatchError], args: tuple[Any, ...], facts: dict[str, Any]
) -> BatchError:
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


class CapError(BatchError):
    """A job was refused by the cap named ``cap``: a field of ``Config``."""

    cap: str


class TooManyTargetsError(CapError):
    """The list has ``count`` targets, and this caller's jobs may have ``limit``."""

    cap = "targets_per_job"

    def __init__(self, limit: int, count: int) -> None:
        self.limit = limit
        self.count = count
        super().__init__(
            f"too many targets: {count} given, at most {limit} allowed in one job;"
            " split the list into several jobs"
        )


class CallerBusyError(CapError):
    """The caller already has as many live jobs as it may; ``job_id`` is one of them."""

    cap = "jobs_per_caller"

    def __init__(self, job_id: str, limit: int) -> None:
        self.job_id = job_id
        self.limit = limit
        super().__init__(
            f"busy: job {job_id} of this caller is still live, and {limit} may be;"
            " wait for it or cancel it"
        )


class JobsBusyError(CapError):
    """As many jobs are live, over all callers, as the host allows."""

    cap = "jobs_total"

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"jobs busy: {limit} jobs are live in all, the most allowed; try later")


class InvalidTargetsError(BatchError):
    """Targets or options that cannot be taken; ``problems`` names each (the first 50)."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        first = self.problems[0]
        told = [] if first.index is None else [f"at index {first.index}"]
        if len(self.problems) > 1:
            told.append(f"and {len(self.problems) - 1} more")
        more = f" ({', '.join(told)})" if told else ""
        super().__init__(f"invalid targets: {first.message}{more}")


class UnknownJobError(BatchError):
    """No job has this id; the id may be any string."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(f"unknown job: no job has the id {job_id[:64]!r}")


class JobLiveError(BatchError):
    """The job still runs, or a worker still has its last target in hand."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(f"job live: {job_id} has not ended yet; cancel it or wait for its end")


class NothingToRetryError(BatchError):
    """Every target of the job is done."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(f"nothing to retry: every target of job {job_id} is done")


class FetchError(Exception):
    """A target that could not be fetched, told so that its caller can act.

    ``message`` says what happened and ``hint`` what the caller can do, one line each;
    ``code`` is a stable word for programs; ``retryable`` says whether the same request may
    succeed later; ``meta`` is what is known about the failure (JSON) and is stored as the
    target's ``details``.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        code: str = "internal",
        retryable: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.retryable = retryable
        self.meta = None if meta is None else dict(meta)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments need a hand to survive pickling between processes.
        return (_fetch_error, (self.message, self.hint, self.code, self.retryable, self.meta))


def _fetch_error(
    message: str, hint: str, code: str, retryable: bool, meta: dict[str, Any] | None
) -> FetchError:
    return FetchError(message, hint, code=code, retryable=retryable, meta=meta)
