"""Why a job was left as it is, in words for many jobs at once."""

from __future__ import annotations

from batch.errors import (
    BatchError,
    CallerBusyError,
    JobLiveError,
    JobsBusyError,
    NothingToRetryError,
    TooManyTargetsError,
    UnknownJobError,
)

ENDED = "already ended"
GONE = "it is no longer there"
KEPT = "its lease has not lapsed yet"
PROTECTED = "something else on this site refers to it"


def reason(error: BatchError, alone: bool) -> str:
    """One text for each kind of refusal, so that equal ones can be counted together; the
    refusal's own, which names ids, where it is the only one."""
    if alone:
        return str(error)
    match error:
        case CallerBusyError():
            return f"the caller has as many live jobs as it may ({error.limit}); try again later"
        case JobsBusyError():
            return f"as many jobs are live as may be ({error.limit}); try again later"
        case TooManyTargetsError():
            return f"it has more targets than a job may have ({error.limit})"
        case JobLiveError():
            return "it has not ended yet, or its last target is in hand; cancel it or wait"
        case NothingToRetryError():
            return "there is nothing to retry, every target is done"
        case UnknownJobError():
            return GONE
    return str(error)
