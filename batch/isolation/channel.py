"""Whole messages over a socket, with a deadline.

``multiprocessing.Connection`` can wait for a message to begin, not for it to end: a child that
is stopped in the middle of one would hold its worker for ever.
"""

from __future__ import annotations

import select
import socket
import struct
import time

_LENGTH = struct.Struct("!Q")
REST_SECONDS = 5.0  # for a message that has begun in time
MAX_MESSAGE_BYTES = 1 << 32


def send(channel: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send one message before ``deadline`` (of ``time.monotonic``).

    Raises ``TimeoutError``, and ``OSError`` when the other end is gone.
    """
    _wait_until(channel, deadline)
    channel.sendall(_LENGTH.pack(len(message)) + message)


def receive(
    channel: socket.socket, deadline: float | None = None, death: int | None = None
) -> bytes:
    """The next message, if it has begun before ``deadline`` (of ``time.monotonic``); its rest may
    take REST_SECONDS more. What is there already is read, however late it is asked for: whoever
    was stopped for a while must not say that the other was late.

    Raises ``TimeoutError``, and ``EOFError`` when the other end closed or, with nothing more
    to read, when ``death`` can be read: others may hold a dead process's end open.
    """
    _wait_for(channel, deadline, death)
    if deadline is not None:
        deadline = max(deadline, time.monotonic() + REST_SECONDS)
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size, deadline, death))
    if length > MAX_MESSAGE_BYTES:
        raise EOFError("a message of an impossible length")
    return _exactly(channel, length, deadline, death)


def _exactly(
    channel: socket.socket, count: int, deadline: float | None, death: int | None
) -> bytes:
    parts = []
    while count:
        _wait_for(channel, deadline, death)
        part = channel.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _wait_for(channel: socket.socket, deadline: float | None, death: int | None) -> None:
    """Until there is something to read, or the other end is gone."""
    poll = select.poll()  # select() cannot watch descriptors over 1023
    poll.register(channel, select.POLLIN)
    if death is not None:
        poll.register(death, select.POLLIN)
    seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
    ready = dict(poll.poll(None if seconds is None else seconds * 1000))
    if not ready:
        raise TimeoutError
    if death is not None and channel.fileno() not in ready:
        if ready[death] & select.POLLIN:
            raise EOFError
        # Without a word in it (POLLHUP alone) the one who would report is gone: nothing is known.
        _wait_for(channel, deadline, None)


def _wait_until(channel: socket.socket, deadline: float | None) -> None:
    if deadline is None:
        channel.settimeout(None)
    elif (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    else:
        channel.settimeout(left)
