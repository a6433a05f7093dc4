"""A host that asks for a pause is left alone by all targets of a process."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from batch.types import FetchContext, Result, Target
from sift_batch.fetch import Fetcher

from .kit import OTHER, PARAGRAPH, Server, Web, article, error_of, reply

PAGE = reply(article(PARAGRAPH, OTHER))


def busy(retry_after: str, status: str = "429 Slow") -> bytes:
    return reply("", "text/html", status, f"Retry-After: {retry_after}")


def fetch_four_more(web: Web, server: Server) -> list[Result]:
    """Fetches one target and, once the host has answered it, four more beside it."""
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(web.fetch, server)
        while not server.requests:
            time.sleep(0.01)
        time.sleep(0.2)  # the answer has to be read as well
        others = [pool.submit(web.fetch, server, f"/{n}") for n in range(4)]
        return [future.result() for future in (first, *others)]


def test_five_targets_of_a_host_wait_together(web: Web) -> None:
    server = web.serve([busy("2"), PAGE])
    results = fetch_four_more(web, server)
    assert all("bridge" in result.content for result in results)
    assert len(server.requests) == 6
    assert min(server.times[1:]) - server.times[0] >= 2.0


def test_five_targets_of_a_host_wait_together_for_a_date(web: Web) -> None:
    # A date has whole seconds: what is left of three is more than two.
    moment = datetime.now(UTC) + timedelta(seconds=3)
    server = web.serve([busy(format_datetime(moment, usegmt=True), "503 Busy"), PAGE])
    assert len(fetch_four_more(web, server)) == 5
    assert min(server.times[1:]) - server.times[0] >= 1.9


def test_another_host_is_not_kept_waiting(web: Web) -> None:
    slow, other = web.serve(busy("60")), web.serve(PAGE)
    error_of(lambda: web.fetch(slow))
    started = time.monotonic()
    assert web.fetch(other).meta["attempts"] == 1
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "value", ["soon", "-1", "", "5 apples", "٣", "1e3", "0x5", "2026-11-30T09:00:00Z", ",", "1s5"]
)
def test_a_pause_that_is_none_holds_nobody(web: Web, value: str) -> None:
    server = web.serve([busy(value), PAGE])
    started = time.monotonic()
    assert len(fetch_four_more(web, server)) == 5
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30.0", 30),
        ("30.25", 30.25),
        ("120s", 120),
        ("120 Seconds", 120),
        ("31 sec", 31),
        ("40, 50", 40),
        ("40s; later", 40),
        ("9" * 40 + ".0", 999_999_999_999),
    ],
)
def test_a_pause_that_is_told_loosely_is_kept(web: Web, value: str, seconds: float) -> None:
    server = web.serve(busy(value))
    error = error_of(lambda: web.fetch(server, settings={"total_seconds": 20}))
    assert error.meta is not None
    assert error.meta["retry_after"] == seconds
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "value", ["0", "0.0", "Mon, 01 Jan 2001 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 +2359"]
)
def test_a_pause_that_is_over_holds_nobody(web: Web, value: str) -> None:
    server = web.serve([busy(value), PAGE])
    assert web.fetch(server).meta["attempts"] == 2


@pytest.mark.parametrize("value", ["99999999", "9" * 40, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_pause_that_nobody_can_wait_for_is_an_answer_at_once(web: Web, value: str) -> None:
    server = web.serve(busy(value))
    started = time.monotonic()
    first = error_of(lambda: web.fetch(server))
    others = [error_of(lambda n=n: web.fetch(server, f"/{n}")) for n in range(4)]  # type: ignore[misc]
    assert time.monotonic() - started < 1
    assert len(server.requests) == 1
    assert first.meta is not None
    assert first.meta["retry_after"] >= 99999999
    for error in others:
        assert error.code == "rate_limited"
        assert error.meta is not None
        # A host is asked anew after a while, however long it asked for.
        assert 0 < error.meta["retry_after"] <= 120


def test_of_two_pauses_the_longer_one_counts(web: Web) -> None:
    server = web.serve({"/long": busy("60"), "/short": lambda r: [0.3, busy("0")], "/": PAGE})
    with ThreadPoolExecutor(1) as pool:
        short = pool.submit(error_of, lambda: web.fetch(server, "/short", settings={"attempts": 1}))
        time.sleep(0.1)
        error_of(lambda: web.fetch(server, "/long", settings={"attempts": 1}))
        short.result()
    assert error_of(lambda: web.fetch(server)).code == "rate_limited"
    assert "/" not in server.paths


def test_a_target_that_has_no_time_left_does_not_wait_out_a_pause(web: Web) -> None:
    server = web.serve(busy("60"))
    error_of(lambda: web.fetch(server))
    over = FetchContext(deadline=datetime.now(UTC) - timedelta(seconds=1))
    target = Target(f"http://page.test:{server.port}/")
    started = time.monotonic()
    assert error_of(lambda: Fetcher(web.config())(over, target)).code == "rate_limited"
    assert time.monotonic() - started < 1
