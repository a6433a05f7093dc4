"""The worker's side of a child process: start it, ask it, kill it, judge its death.

docs/why.md says why this is not a kept pool of processes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from django.core.exceptions import ImproperlyConfigured

from batch.isolation import ChildFailedError, Limits, channel
from batch.isolation.child import read_reply, scrubbed
from batch.isolation.nursery import SPAWN, Order, read_number
from batch.outcome import Outcome, failure
from batch.words import FetchContext, FetchFunc, Target

START_SECONDS = 60.0
END_SECONDS = 5.0
DYING_SECONDS = 0.5


class Nursery:
    """Where the children of one fetch function and one set of limits come from.

    One serves all slots of a worker. It is started with the first child.
    """

    def __init__(self, fetch: FetchFunc, limits: Limits, *, django: bool) -> None:
        try:
            pickled = pickle.dumps(fetch)
        except Exception as error:
            raise ImproperlyConfigured(
                f"the fetch function {fetch!r} cannot be sent to a child process ({error}):"
                " name a function of a module, or an object whose state can be pickled"
            ) from error
        module = getattr(fetch, "__module__", None) or type(fetch).__module__
        self.limits = limits
        self._order = Order(fetch=pickled, module=module, limits=limits, django=django)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def spawn(self) -> Child:
        """A child that has loaded the fetch function. Raises :class:`ChildFailedError`."""
        try:
            return self._spawned()
        except ChildFailedError:
            if not self._is_dying():
                raise
            return self._spawned()  # from the next one

    def _is_dying(self) -> bool:
        """Whether the process ends at this moment: what was asked of it is lost."""
        with self._lock, contextlib.suppress(subprocess.TimeoutExpired):
            return self._process is not None and self._process.wait(DYING_SECONDS) is not None
        return False

    def _spawned(self) -> Child:
        requests, theirs = socket.socketpair()
        lifeline, ours = os.pipe()
        report, reports = os.pipe()
        try:
            with self._lock:
                socket.send_fds(self._running(), [SPAWN], [theirs.fileno(), lifeline, reports])
        except OSError as error:
            requests.close()
            os.close(ours)
            os.close(report)
            raise ChildFailedError(f"no process can be started ({error.strerror})") from error
        finally:
            theirs.close()
            os.close(lifeline)
            os.close(reports)
        return Child(requests, ours, report)

    def _running(self) -> socket.socket:
        if self._control is not None and self._process and self._process.poll() is None:
            return self._control
        self.close()
        self._control, theirs = socket.socketpair()
        with theirs:
            # The path of this process, as it is now: what the fetch function's module needs.
            code = (
                f"import sys; sys.path[:] = {sys.path!r};"
                f"from batch.isolation.nursery import main; main({theirs.fileno()})"
            )
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=None if self._order.django else scrubbed(os.environ),
            )
        channel.send(self._control, pickle.dumps(self._order))
        return self._control

    def close(self) -> None:
        """End the nursery. Children that still run end with it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
            self._process = None


class Child:
    """One process that fetches targets, one at a time."""

    def __init__(self, requests: socket.socket, lifeline: int, report: int) -> None:
        self.requests = requests
        self.asked = 0
        self._lifeline = lifeline
        self.report = report
        self._lock = threading.Lock()  # a kill comes from another thread than the rest
        self._pid: int | None = None
        try:
            if not self._ended(START_SECONDS):  # the first number is due, not the last
                raise TimeoutError
            self._pid = read_number(report)
            problem = channel.receive(requests, time.monotonic() + START_SECONDS).decode()
        except (OSError, EOFError) as error:
            problem = f"it ended while it started ({type(error).__name__})"
        if problem:
            self.end(kill=True)
            raise ChildFailedError(problem)

    def kill(self) -> None:
        """Kill the child and what it started, unless it is known to have ended."""
        with self._lock:
            if self._pid is None or self._ended(0):
                return
            try:
                os.killpg(self._pid, signal.SIGKILL)
            except ProcessLookupError:  # it has not come to make its group
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)

    def end(self, *, kill: bool) -> int | None:
        """See the child out; its exit code, negative for a signal, None when not known."""
        if kill:
            self.kill()
        self.requests.close()
        if not self._ended(END_SECONDS):
            self.kill()
        code = read_number(self.report) if self._ended(END_SECONDS) else None
        with self._lock:
            self._pid = None
            os.close(self.report)
            os.close(self._lifeline)
        return code

    def _ended(self, seconds: float) -> bool:
        poll = select.poll()  # select() cannot watch descriptors over 1023
        poll.register(self.report, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


class InChild:
    """Runs the fetch function in a child of its own, started anew when it is gone."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._child: Child | None = None

    def warm(self) -> Child:
        """The child, started if there is none. Raises :class:`ChildFailedError`."""
        if self._child is None:
            self._child = self._nursery.spawn()
        return self._child

    def run(self, context: FetchContext, target: Target) -> Outcome:
        request = pickle.dumps((context, target))
        deadline = time.monotonic() + self._nursery.limits.timeout_seconds
        while True:
            fresh = self._child is None
            try:
                child = self.warm()
            except ChildFailedError as error:
                return failure(
                    "child_died",
                    f"no child process could be started: {error}",
                    "the fetch function has to load in a fresh process; see CHILD_DJANGO",
                )
            if fresh:  # its start is not the target's time
                deadline = time.monotonic() + self._nursery.limits.timeout_seconds
            try:
                child.asked += 1
                channel.send(child.requests, request, deadline)
                break
            except TimeoutError:
                return self._over_time()
            except OSError:
                died = self._died(deadline)
                if fresh:
                    return died
                # It died while it was idle: no target was begun, so a fresh one is asked.
        try:
            head = channel.receive(child.requests, deadline, child.report)
            # Who has begun to answer in time may end.
            rest = max(deadline, time.monotonic() + channel.REST_SECONDS)
            result = channel.receive(child.requests, rest, child.report)
            outcome, last = read_reply(head, result, child.asked)
        except TimeoutError:
            return self._over_time()
        except (EOFError, OSError, ValueError, RecursionError):
            return self._died(deadline)
        if last:
            self._drop(kill=False)
        return outcome

    def _over_time(self) -> Outcome:
        self._drop(kill=True)
        return failure(
            "target_timeout",
            f"the target took over {self._nursery.limits.timeout_seconds:g} seconds and was"
            " stopped",
            "ask for less of it, or raise TARGET_TIMEOUT_SECONDS",
        )

    def _died(self, deadline: float) -> Outcome:
        late = time.monotonic() > deadline  # seeing it out takes a while, too
        code = self._drop(kill=False)
        # By its own watch: it computed in C code, or this process was stopped for a while.
        if code == -signal.SIGXCPU or (late and code == -signal.SIGKILL):
            return self._over_time()
        return failure(
            "child_died",
            f"the process that fetched the target died: {_told(code)}",
            "the next target gets a fresh process; if this one kills each, report it to the"
            " authors of the fetch function",
        )

    def _drop(self, *, kill: bool) -> int | None:
        gone, self._child = self._child, None
        return None if gone is None else gone.end(kill=kill)

    def kill(self) -> None:
        if child := self._child:
            child.kill()

    def close(self) -> None:
        self._drop(kill=False)


def _told(code: int | None) -> str:
    if code is None:
        return "it gave no exit code"
    if code == -signal.SIGKILL:
        return "it was killed (SIGKILL), by the system for want of memory perhaps"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"it got the signal {signal.Signals(-code).name}"
        return f"it got the signal {-code}"
    return f"it exited with code {code}"
