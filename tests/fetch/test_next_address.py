"""A host of several addresses, of which not all answer."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
import ssrfguard

from .kit import OTHER, PARAGRAPH, Server, Web, article, error_of, fetch, reply

PAGE = reply(article(PARAGRAPH, OTHER))


@contextlib.contextmanager
def silent(address: str, port: int) -> Iterator[None]:
    """An address that drops what is sent to it, as far as one on this machine can: its queue of
    connections is full."""
    with contextlib.ExitStack() as opened:
        listening = opened.enter_context(socket.socket())
        listening.bind((address, port))
        listening.listen(0)
        for _ in range(4):
            filling = opened.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex((address, port))
        yield


def get(web: Web, server: Server, *addresses: str, **settings: Any) -> Any:
    config = web.config(
        allowed_networks=["127.0.0.0/28", "2001:db8::/32"],
        resolver=lambda host: list(addresses),
        **settings,
    )
    return fetch(f"http://page.test:{server.port}/", config)


def test_an_address_that_does_not_answer_costs_two_seconds(web: Web) -> None:
    server = web.serve(PAGE)
    started = time.monotonic()
    with silent("127.0.0.2", server.port):
        result = get(web, server, "127.0.0.2", "127.0.0.1")
    assert 1.9 < time.monotonic() - started < 3.5
    assert "bridge" in result.content
    assert result.meta["attempts"] == 1


def test_a_black_hole_of_ipv6_gives_way_to_ipv4(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    server = web.serve(PAGE)
    tried: list[tuple[str, float]] = []
    connect = ssrfguard.connect

    def routed(addresses: Any, *, policy: Any, timeout: float) -> socket.socket:
        """No packet of a test goes out, so the route to IPv6 ends at a silent address here."""
        (address,) = addresses
        tried.append((str(address.ip), timeout))
        if ":" in str(address.ip):
            policy.check_address(address.ip)
            made = socket.create_connection(("127.0.0.2", server.port), timeout)
            raise AssertionError(f"a silent address answered: {made}")
        return connect(addresses, policy=policy, timeout=timeout)

    monkeypatch.setattr("ssrfguard.connect", routed)
    started = time.monotonic()
    with silent("127.0.0.2", server.port):
        result = get(web, server, "2001:db8::1", "127.0.0.1")
    assert 1.9 < time.monotonic() - started < 3.5
    assert "bridge" in result.content
    assert tried[0] == ("2001:db8::1", 2.0)
    assert tried[1][0] == "127.0.0.1"


def test_the_last_address_has_all_the_time_that_is_left(web: Web) -> None:
    server = web.serve(PAGE)
    started = time.monotonic()
    with silent("127.0.0.2", server.port):
        error = error_of(lambda: get(web, server, "127.0.0.2", attempts=1, connect_seconds=3))
    assert error.code == "connect_timeout"
    assert 2.8 < time.monotonic() - started < 4.5


def test_addresses_that_refuse_cost_nothing(web: Web) -> None:
    server = web.serve(PAGE)
    started = time.monotonic()
    assert get(web, server, "127.0.0.3", "127.0.0.4", "127.0.0.1").content
    assert time.monotonic() - started < 1


def test_no_more_than_four_addresses_are_tried(web: Web) -> None:
    server = web.serve(PAGE)
    away = [f"127.0.0.{n}" for n in (2, 3, 4, 5)]
    error = error_of(lambda: get(web, server, *away, "127.0.0.1", attempts=1))
    assert error.code == "connect_refused"
    assert server.requests == []
