"""Messages between a worker and its child: whole, and not late when they were sent in time."""

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from batch.isolation import channel

LARGE = os.urandom(3_000_000)  # more than a socket holds


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    mine, theirs = socket.socketpair()
    with mine, theirs:
        yield mine, theirs


@pytest.mark.parametrize("message", [b"", b"small", LARGE])
def test_what_was_sent_in_time_is_read_after_the_deadline(
    ends: tuple[socket.socket, socket.socket], message: bytes
) -> None:
    mine, theirs = ends
    sender = threading.Thread(target=channel.send, args=(theirs, message))
    sender.start()
    time.sleep(0.1)
    assert channel.receive(mine, time.monotonic() - 10) == message
    sender.join()


def test_nothing_to_read_after_the_deadline_is_late(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        channel.receive(ends[0], began + 0.1)
    with pytest.raises(TimeoutError):
        channel.receive(ends[0], began - 10)
    assert time.monotonic() - began < 2


def test_a_message_that_does_not_end_is_waited_for_so_long(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "REST_SECONDS", 0.3)
    mine, theirs = ends
    theirs.sendall((100).to_bytes(8) + b"begun")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        channel.receive(mine, began + 0.1)
    assert 0.2 < time.monotonic() - began < 2


def test_the_death_of_the_sender_ends_the_waiting(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    report, reports = os.pipe()
    os.write(reports, b"dead")
    with pytest.raises(EOFError):
        channel.receive(ends[0], time.monotonic() + 60, report)
    os.read(report, 4)
    os.close(reports)  # who would report is gone as well
    with pytest.raises(TimeoutError):
        channel.receive(ends[0], time.monotonic() + 0.1, report)
    os.close(report)
