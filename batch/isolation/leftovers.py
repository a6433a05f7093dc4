"""What a target may leave behind in its child that would harm the next one there."""

from __future__ import annotations

import _thread
import faulthandler
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
# Of the CPU there is a new limit for each target.
_LIMITS = (
    resource.RLIMIT_AS,
    resource.RLIMIT_DATA,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_STACK,
)
_DEEP_ENOUGH = 1000


def state() -> tuple[Any, ...]:
    """What has to be as it was before a target, else the child is not used again: threads (also
    such as ``threading`` does not know), limits, the folder, the time that sockets wait.

    Nothing that a library may change while it is imported, such as the environment: the first
    target that needs it would cost each fresh child.
    """
    return (
        _thread._count(),
        *(resource.getrlimit(limit) for limit in _LIMITS),
        min(sys.getrecursionlimit(), _DEEP_ENOUGH),
        socket.getdefaulttimeout(),
        _folder(),
    )


def timers_stopped(function: Callable[P, T]) -> Callable[P, T]:
    """``function``, after which nothing rings: an alarm that raises must find it, and not what
    is done with its result."""

    def stopped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        finally:
            stop_timers()

    return stopped


def stop_timers() -> None:
    """Stop all that would interrupt or end this process later."""
    for timer in _TIMERS:
        signal.setitimer(timer, 0)
    faulthandler.cancel_dump_traceback_later()


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
