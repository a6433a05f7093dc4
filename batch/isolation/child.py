"""What runs in a child: targets from a socket, one at a time, each under its limits.

A child knows Django only where CHILD_DJANGO says so. It is in a process group of its own, so
that a kill takes along what a fetch function started, and a Ctrl-C at the worker's terminal
leaves it alone.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import resource
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from batch.isolation import Limits, channel
from batch.isolation.leftovers import state, stop_timers, timers_stopped
from batch.outcome import Outcome, judge
from batch.text import one_line

# After a target's time limit. The worker kills at the limit, unless it was stopped itself.
LATE_SECONDS = 5.0
TARGETS_A_CHILD = 200  # then a fresh one: what a fetch function leaks goes with its child
KEPT_ENVIRONMENT = ("PATH", "LANG", "TZ", "TMPDIR")
KEPT_PREFIXES = ("LC_", "SSL_CERT_")


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """All of an environment that a child without Django has any business to know."""
    return {
        name: value
        for name, value in environment.items()
        if name in KEPT_ENVIRONMENT or name.startswith(KEPT_PREFIXES)
    }


def stay(*_: Any) -> None:
    """For SIGTERM, which service managers send to the whole family: the worker decides when a
    child ends. A handler rather than SIG_IGN, which the programs that it starts would keep."""


def serve(
    requests: socket.socket, lifeline: int, fetch: bytes, limits: Limits, django: bool
) -> NoReturn:
    """Serve until the worker closes ``requests``, or is gone."""
    own = os.getpid()
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, stay)
    threading.Thread(target=_die_with_worker, args=(lifeline,), daemon=True).start()
    try:
        if django:
            import django as framework

            framework.setup()
        function = timers_stopped(pickle.loads(fetch))
    except BaseException as error:  # reported to the worker, which says so
        channel.send(requests, one_line(f"{type(error).__name__}: {error}").encode())
        leave(1)
    channel.send(requests, b"")
    before = _data_bytes()
    _limit_memory(before, limits.memory_bytes)
    clean = state()
    for count in range(1, TARGETS_A_CHILD + 1):
        try:
            context, target = pickle.loads(channel.receive(requests))
        except (EOFError, OSError):
            break
        if django:
            _drop_dead_connections()
        _limit_time(limits.timeout_seconds)
        _limit_cpu(limits.timeout_seconds)
        outcome = judge(function, context, target, limits.result_max_bytes)
        if os.getpid() != own:
            leave(0)  # the fetch function forked, and this is its copy
        stop_timers()  # once more, where an alarm of the target's own came between
        grown = limits.memory_bytes and _data_bytes() - before > limits.memory_bytes // 4
        last = (
            bool(grown)
            or count == TARGETS_A_CHILD
            or outcome.code == "target_memory"
            or state() != clean
            or _cpu_is_short(limits.timeout_seconds)
            or _descriptors_are_short()
        )
        _reply(requests, count, outcome, last)
        if last:
            break
    leave(0)


def _reply(requests: socket.socket, number: int, outcome: Outcome, last: bool) -> None:
    """Two messages: what was decided as JSON, and the result's text as it will be stored."""
    head = {
        "number": number,
        "done": outcome.done,
        "error": outcome.error,
        "hint": outcome.hint,
        "code": outcome.code,
        "details": outcome.details,
        "trace": outcome.trace,
        "last": last,
    }
    channel.send(requests, json.dumps(head).encode())
    channel.send(requests, (outcome.result or "").encode())


def read_reply(head: bytes, result: bytes, number: int) -> tuple[Outcome, bool]:
    """The outcome of a reply, and whether its child has ended with it.

    Raises ``ValueError`` for anything but the reply to the child's request of this ``number``:
    what a page made of a child is not trusted.
    """
    said = json.loads(head)
    if (
        not isinstance(said, dict)
        or said.get("number") != number
        or not all(isinstance(said.get(name), str) for name in ("error", "hint", "code", "trace"))
    ):
        raise ValueError("not a reply")
    details = said.get("details")
    return (
        Outcome(
            result=result.decode() if said.get("done") is True else None,
            error=said["error"],
            hint=said["hint"],
            code=said["code"],
            details=details if isinstance(details, str) else None,
            trace=said["trace"],
        ),
        said.get("last") is True,
    )


def _drop_dead_connections() -> None:
    """A database that restarted while the child was idle costs no target: Django would notice
    only by an error. One question a target, where the fetch function uses the database at all."""
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.is_usable():
            connection.close()


def _die_with_worker(lifeline: int) -> None:
    """The other end is held by the worker alone: reading ends when the worker does."""
    while True:
        try:
            if not os.read(lifeline, 1):
                break
        except OSError:
            break
    _end_group()


def _end_group(*_: Any) -> None:
    os.killpg(0, signal.SIGKILL)


def _data_bytes() -> int:
    """What RLIMIT_DATA counts, or 0 where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmData:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _limit_memory(before: int, limit: int) -> None:
    # Without /proc (macOS) RLIMIT_DATA does not count mapped memory either: no limit there.
    if limit and before:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_within(before + limit, hard), hard))


def _limit_time(seconds: float) -> None:
    # For each target: the one before may have had an alarm of its own.
    signal.signal(signal.SIGALRM, _end_group)
    signal.setitimer(signal.ITIMER_REAL, seconds + LATE_SECONDS)


def _limit_cpu(seconds: float) -> None:
    """SIGXCPU ends what no thread can watch: C code that holds the GIL when the worker dies."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(_cpu_seconds() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (_within(limit, hard), hard))


def _cpu_is_short(seconds: float) -> bool:
    """Whether a hard limit from outside leaves less than another target may use."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    return hard != resource.RLIM_INFINITY and _cpu_seconds() + seconds > hard


def _descriptors_are_short() -> bool:
    """Whether half of the descriptors that a process may have are in use: what a fetch function
    left open must not be missed by the next target. The system gives the lowest that is free."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        free = os.dup(0)
    except OSError:
        return True
    os.close(free)
    return free > soft // 2


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _within(limit: int, hard: int) -> int:
    """Nobody may raise a limit above a hard one, which an operator may have set lower."""
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def leave(code: int) -> NoReturn:
    """End at once: threads that a fetch function left behind would hold up a proper exit."""
    flush()
    os._exit(code)


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # a worker may be started without
            stream.flush()
