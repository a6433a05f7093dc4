"""A process that imports everything once and then forks children, each warm from the start.

It has one thread, so the fork is safe, whatever threads the worker has. The worker asks for a
child by sending three descriptors: the child's end of its requests, the reading end of the
worker's lifeline, and the writing end of a pipe for the child's pid and, later, its exit code.
It ends when the worker does, which closes the other end of its control socket, and takes along the
children that are left.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import selectors
import signal
import socket
import struct
from dataclasses import dataclass
from typing import Any, NoReturn

from batch.isolation import Limits, channel
from batch.isolation.child import flush, leave, serve, stay

NUMBER = struct.Struct("!q")
SPAWN = b"s"


@dataclass(frozen=True, kw_only=True)
class Order:
    """What all children of one nursery have in common."""

    fetch: bytes
    module: str
    limits: Limits
    django: bool


def main(control_fd: int) -> NoReturn:
    """Prepare, then serve until the worker is gone."""
    control = socket.socket(fileno=control_fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stay)
    order: Order = pickle.loads(channel.receive(control))
    _prepare(order)
    nursery = _Nursery(control, order)
    with contextlib.suppress(EOFError):
        nursery.run()
    nursery.end_children()
    leave(0)


def _prepare(order: Order) -> None:
    """What fails here is left to each child, which does it again and reports it."""
    with contextlib.suppress(Exception):
        if order.django:
            import django

            django.setup()
        importlib.import_module(order.module)
        pickle.loads(order.fetch)  # with what an object imports when it arrives
        if order.django:
            from django.db import connections

            connections.close_all()  # no two children may share one
    flush()  # else each child would print once more what an import printed
    gc.freeze()  # the children's collectors leave the shared pages alone


class _Nursery:
    def __init__(self, control: socket.socket, order: Order) -> None:
        self._control = control
        self._order = order
        self._reports: dict[int, int] = {}  # pid of a child: where its exit code is written
        self._wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, stay)

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._wake in ready:
                    os.read(self._wake, 4096)
                    self._bury()
                if self._control in ready:
                    self._spawn()

    def _spawn(self) -> None:
        message, fds, _, _ = socket.recv_fds(self._control, 1, 3)
        if message != SPAWN:
            raise EOFError
        requests, lifeline, report = fds
        pid = os.fork()
        if not pid:
            self._become_child(requests, lifeline, report)
        os.close(requests)
        os.close(lifeline)
        self._reports[pid] = report
        _write(report, pid)

    def _become_child(self, requests: int, lifeline: int, report: int) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for fd in (report, self._wake, *self._reports.values()):
                os.close(fd)
            self._control.close()
            order = self._order
            serve(socket.socket(fileno=requests), lifeline, order.fetch, order.limits, order.django)
        finally:
            os._exit(1)

    def end_children(self) -> None:
        """The worker is gone, or wants nothing more. A child that was stopped, or whose C code
        holds the GIL, does not notice that by itself."""
        for pid in self._reports:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)

    def _bury(self) -> None:
        """Report each child that ended, and end what it started.

        It is looked at first and buried last: until then its pid, which names its process
        group, can be nobody else's.
        """
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while self._reports and (ended := os.waitid(os.P_ALL, 0, options)):
            pid = ended.si_pid
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            if (report := self._reports.pop(pid, None)) is not None:
                _write(report, os.waitstatus_to_exitcode(status))
                os.close(report)


def _write(report: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # the worker does not ask any more
        os.write(report, NUMBER.pack(number))


def read_number(report: Any) -> int | None:
    """The next number of a report, or None when the nursery died without a word."""
    data = os.read(report, NUMBER.size)
    return NUMBER.unpack(data)[0] if len(data) == NUMBER.size else None
