"""Whatever a fetch test does, no packet leaves this machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from sift_batch.fetch import retry, robots

from .kit import Web

_LOOPBACK = ipaddress.ip_network("127.0.0.0/8")


@pytest.fixture(autouse=True)
def no_packet_leaves(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Refuse every connection outside 127.0.0.0/8, and fail the test that tried one."""
    tried: list[Any] = []
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family == socket.AF_UNIX or _is_loopback(address):
            return connect(self, address)
        tried.append(address)
        raise OSError("a test may not connect to this address")

    monkeypatch.setattr(socket.socket, "connect", guarded)
    yield tried
    assert not tried, "a connection outside 127.0.0.0/8 was tried"


@pytest.fixture(autouse=True)
def no_memory_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports are used again, so what was learnt about one must not reach the next test."""
    monkeypatch.setattr(retry, "_holds", retry._Holds())
    monkeypatch.setattr(robots, "_cache", robots._Cache())


@pytest.fixture(autouse=True)
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_BASE_SECONDS", 0.01)


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.stop()


def _is_loopback(address: Any) -> bool:
    try:
        return ipaddress.ip_address(address[0]) in _LOOPBACK
    except (ValueError, TypeError):
        return False
