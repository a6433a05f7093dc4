"""Asking servers: redirects, cookies, cut answers, limits and second tries."""

from __future__ import annotations

import ssl
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from batch.types import FetchContext, Target
from sift_batch.fetch import Fetcher

from .kit import PARAGRAPH, Web, article, error_of, fetch, redirect, reply

PAGE = reply(article(PARAGRAPH, PARAGRAPH))


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/ä b".encode(), "/%C3%A4%20b"),
        ("/ä b".encode("latin-1"), "/%C3%A4%20b"),
        (b"sub/page", "/dir/sub/page"),
        (b"?q=1", "/dir/page?q=1"),
        (b"//page.test:%d/other", "/other"),
        (b"  /spaces  ", "/spaces"),
    ],
)
def test_a_location_of_any_kind_is_followed(web: Web, location: bytes, path: str) -> None:
    server = web.serve([redirect("/dir/page"), PAGE])
    if b"%d" in location:
        location = location % server.port
    server._answers = {"/dir/page": redirect(location), path: PAGE}
    result = web.fetch(server, "/dir/page")
    assert server.paths == ["/dir/page", path]
    assert result.meta["redirects"] == [
        {"status": 302, "url": f"http://page.test:{server.port}/dir/page"}
    ]
    assert result.meta["final_url"].endswith(path)


@pytest.mark.parametrize(
    "answer",
    [redirect(""), redirect("  "), b"HTTP/1.1 302 Found\r\n\r\n", redirect("http://[::1/")],
)
def test_a_redirect_to_nowhere_is_bad(web: Web, answer: bytes) -> None:
    server = web.serve(answer)
    assert error_of(lambda: web.fetch(server)).code == "bad_redirect"
    assert len(server.requests) == 1


def test_a_redirect_to_another_scheme_is_not_followed(web: Web) -> None:
    error = error_of(lambda: web.fetch(redirect("file:///etc/passwd")))
    assert error.code == "unsupported_scheme"


def test_credentials_in_a_redirect_are_neither_sent_nor_told(web: Web) -> None:
    server = web.serve(PAGE)
    server._answers = {"/": redirect(f"http://user:secret@page.test:{server.port}/x"), "/x": PAGE}
    result = web.fetch(server)
    assert b"authorization" not in server.requests[1].lower()
    assert "secret" not in str(result.meta)


def test_a_cookie_that_no_header_can_hold_is_left_behind(web: Web) -> None:
    head = "HTTP/1.1 302 Found\r\nLocation: /other\r\nSet-Cookie: a=\u00e9; Path=/\r\n"
    moved = f"{head}Content-Length: 0\r\n\r\n".encode("latin-1")
    server = web.serve({"/": moved, "/other": PAGE})
    assert web.fetch(server).content


def test_cookies_stay_for_the_redirects_and_go_to_their_host_alone(web: Web) -> None:
    def until_cookie(request: bytes) -> bytes:
        if b"seen=yes" in request:
            return redirect(f"http://other.test:{server.port}/other")
        return redirect("/", "302 Found", "Set-Cookie: seen=yes")

    server = web.serve({"/": until_cookie, "/other": PAGE})
    web.fetch(server)
    assert [b"seen=yes" in request for request in server.requests] == [False, True, False]
    web.fetch(server)
    assert b"seen=yes" not in server.requests[3]


def test_an_endless_redirect_ends_after_ten_and_the_loop_is_named(web: Web) -> None:
    server = web.serve(redirect("/"))
    error = error_of(lambda: web.fetch(server))
    assert error.code == "too_many_redirects"
    assert "loop" in error.message
    assert len(server.requests) == 11


def test_a_server_that_drips_ends_on_the_total_clock(web: Web) -> None:
    def drip(request: bytes):  # type: ignore[no-untyped-def]
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        for _ in range(100):
            yield b"x"
            yield 0.05

    started = time.monotonic()
    error = error_of(lambda: web.fetch(drip, settings={"total_seconds": 0.5}))
    assert error.code == "timeout"
    assert time.monotonic() - started < 1.5


def test_headers_that_drip_end_on_the_total_clock(web: Web) -> None:
    def drip(request: bytes):  # type: ignore[no-untyped-def]
        yield b"HTTP/1.1 200 OK\r\n"
        for _ in range(100):
            yield b"X-A: b\r\n"
            yield 0.05

    started = time.monotonic()
    assert error_of(lambda: web.fetch(drip, settings={"total_seconds": 0.5})).code == "timeout"
    assert time.monotonic() - started < 1.5


def test_the_clock_never_passes_the_deadline_of_the_runner(web: Web) -> None:
    server = web.serve(lambda request: [5.0])
    context = FetchContext(deadline=datetime.now(UTC) + timedelta(seconds=0.5))
    target = Target(f"http://page.test:{server.port}/")
    started = time.monotonic()
    error = error_of(lambda: Fetcher(web.config())(context, target))
    assert error.code == "timeout"
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"",
    ],
)
def test_an_answer_that_is_cut_is_asked_for_again(web: Web, answer: bytes) -> None:
    server = web.serve([answer, PAGE])
    result = web.fetch(server)
    assert result.meta["attempts"] == 2
    server = web.serve(answer)
    error = error_of(lambda: web.fetch(server))
    assert error.code == "connection_lost"
    assert error.meta is not None
    assert error.meta["attempts"] == 3
    assert len(server.requests) == 3


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n"])
def test_an_answer_that_is_not_http_is_told_so(web: Web, answer: bytes) -> None:
    assert error_of(lambda: web.fetch(lambda r: [answer, 0.3])).code == "bad_response"


def test_bytes_beyond_a_short_length_do_not_become_the_next_answer(web: Web) -> None:
    poison = reply("wrong") + reply(article("<p>planted</p>"))
    server = web.serve({"/a": poison, "/b": PAGE})
    assert "wrong" in web.fetch(server, "/a", mode="raw").content
    assert "bridge" in web.fetch(server, "/b").content


def test_a_server_that_closes_a_kept_connection_costs_nothing(web: Web) -> None:
    keep = reply(article(PARAGRAPH, PARAGRAPH), "text/html", "200 OK", "Connection: keep-alive")
    server = web.serve(keep)
    for _ in range(3):
        assert web.fetch(server).meta["attempts"] == 1


def test_a_body_over_the_limit_is_refused_by_its_length_and_by_its_bytes(web: Web) -> None:
    settings = {"max_body_bytes": 1000}
    announced = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
    assert error_of(lambda: web.fetch(announced, settings=settings)).code == "too_large"
    unannounced = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000
    assert error_of(lambda: web.fetch(unannounced, settings=settings)).code == "too_large"


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        ("204 No Content", "empty_content", False),
        ("205 Reset Content", "empty_content", False),
        ("206 Partial Content", "http_error", False),
        ("300 Multiple Choices", "http_error", False),
        ("304 Not Modified", "http_error", False),
        ("400 Bad", "http_error", False),
        ("401 No", "access_denied", False),
        ("403 No", "access_denied", False),
        ("404 No", "not_found", False),
        ("407 No", "access_denied", False),
        ("410 Gone", "not_found", False),
        ("418 Teapot", "http_error", False),
        ("429 Slow", "rate_limited", True),
        ("451 Law", "access_denied", False),
        ("500 Bad", "server_error", True),
        ("503 Busy", "server_error", True),
    ],
)
def test_each_status_has_its_code(web: Web, status: str, code: str, retryable: bool) -> None:
    error = error_of(lambda: web.fetch(reply("x", "text/html", status), settings={"attempts": 1}))
    assert (error.code, error.retryable) == (code, retryable)
    assert error.hint
    assert error.meta is not None
    assert error.meta["status_code"] == int(status[:3])


def test_a_failing_server_is_asked_three_times(web: Web) -> None:
    server = web.serve([reply("", "text/html", "500 Bad"), reply("", "text/html", "502 Bad"), PAGE])
    assert web.fetch(server).meta["attempts"] == 3


def test_retry_after_keeps_the_whole_host_waiting(web: Web) -> None:
    server = web.serve([reply("", "text/html", "429 Slow", "Retry-After: 1"), PAGE])
    for _ in range(3):
        web.fetch(server)
    assert len(server.requests) == 4
    assert server.times[1] - server.times[0] >= 1.0


def test_retry_after_may_be_a_date(web: Web) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    server = web.serve([reply("", "text/html", "503 Busy", f"Retry-After: {moment}"), PAGE])
    assert web.fetch(server).meta["attempts"] == 2
    assert server.times[1] - server.times[0] >= 0.9


@pytest.mark.parametrize("value", ["soon", "-1", "", "1.5.2", "٣"])
def test_a_retry_after_that_says_nothing_is_no_reason_to_wait(web: Web, value: str) -> None:
    server = web.serve([reply("", "text/html", "429 Slow", f"Retry-After: {value}"), PAGE])
    assert web.fetch(server).meta["attempts"] == 2


def test_a_retry_after_beyond_the_clock_is_given_to_the_caller(web: Web) -> None:
    server = web.serve(reply("", "text/html", "429 Slow", "Retry-After: 99999999"))
    started = time.monotonic()
    error = error_of(lambda: web.fetch(server))
    assert error.code == "rate_limited"
    assert error.meta is not None
    assert error.meta["retry_after"] == 99999999
    assert len(server.requests) == 1
    assert time.monotonic() - started < 1


def test_only_http_1_1_is_offered(monkeypatch: pytest.MonkeyPatch, web: Web) -> None:
    offered: list[list[str]] = []
    original = ssl.SSLContext.set_alpn_protocols

    def record(self: ssl.SSLContext, protocols: list[str]) -> None:
        offered.append(list(protocols))
        original(self, protocols)

    monkeypatch.setattr(ssl.SSLContext, "set_alpn_protocols", record)
    server = web.serve(PAGE)
    url = f"https://page.test:{server.port}/"
    assert error_of(lambda: fetch(url, web.config(attempts=1, connect_seconds=0.3))).code in (
        "tls_error",
        "connection_lost",
        "timeout",
        "connect_timeout",
    )
    assert offered == [["http/1.1"]]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\nhalf",
            "connection_lost",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999\r\n\r\n",
            "too_large",
        ),
    ],
)
def test_a_failure_in_the_body_tells_what_the_head_said(web: Web, answer: bytes, code: str) -> None:
    settings = {"attempts": 1}
    error = error_of(lambda: web.fetch([answer], settings=settings))
    assert error.code == code
    assert error.meta is not None
    assert error.meta["status_code"] == 200
    assert error.meta["content_type"] == "text/html"
