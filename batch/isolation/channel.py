"""Whole messages over a socket, with a deadline.

``multiprocessing.Connection`` can wait for a message to begin, not for it to end: a child that
is stopped in the middle of one would hold its worker for ever.
"""

from __future__ import annotations

import socket
import struct
import time

_LENGTH = struct.Struct("!Q")
MAX_MESSAGE_BYTES = 1 << 32


def send(channel: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send one message before ``deadline`` (of ``time.monotonic``).

    Raises ``TimeoutError``, and ``OSError`` when the other end is gone.
    """
    _wait_until(channel, deadline)
    channel.sendall(_LENGTH.pack(len(message)) + message)


def receive(channel: socket.socket, deadline: float | None = None) -> bytes:
    """The next message. Raises ``TimeoutError``, ``EOFError`` when the other end closed."""
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size, deadline))
    if length > MAX_MESSAGE_BYTES:
        raise EOFError("a message of an impossible length")
    return _exactly(channel, length, deadline)


def _exactly(channel: socket.socket, count: int, deadline: float | None) -> bytes:
    parts = []
    while count:
        _wait_until(channel, deadline)
        part = channel.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _wait_until(channel: socket.socket, deadline: float | None) -> None:
    if deadline is None:
        channel.settimeout(None)
    elif (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    else:
        channel.settimeout(left)
