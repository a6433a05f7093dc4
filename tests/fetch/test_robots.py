"""robots.txt, where the operator wants it honoured."""

from __future__ import annotations

import gzip
import time
from typing import Any

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, error_of, redirect, reply

PAGE = reply(article(PARAGRAPH, OTHER))
ON = {"robots": True, "attempts": 1}


def served(web: Web, robots: Any, **more: Any) -> Any:
    return web.serve({"/robots.txt": robots, "/page": PAGE, **more})


def test_nobody_asks_for_robots_unless_the_operator_wants_it(web: Web) -> None:
    server = served(web, reply("User-agent: *\nDisallow: /", "text/plain"))
    web.fetch(server, "/page")
    assert server.paths == ["/page"]


def test_a_page_that_robots_disallow_is_not_asked_for(web: Web) -> None:
    server = served(web, reply("User-agent: *\nDisallow: /page", "text/plain"))
    error = error_of(lambda: web.fetch(server, "/page", settings=ON))
    assert error.code == "robots_disallowed"
    assert server.paths == ["/robots.txt"]


def test_a_rule_for_this_program_comes_before_the_general_one(web: Web) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: sift-batch\nAllow: /page"
    assert web.fetch(served(web, reply(rules, "text/plain")), "/page", settings=ON).content


def test_no_robots_file_allows_everything(web: Web) -> None:
    for status in ("404 No", "403 No", "410 Gone"):
        assert web.fetch(served(web, reply("", "", status)), "/page", settings=ON).content
    assert web.fetch(served(web, reply("", "text/plain")), "/page", settings=ON).content


def test_a_robots_file_that_cannot_be_read_disallows(web: Web) -> None:
    for answer in (reply("", "text/plain", "500 Bad"), b"", redirect("/robots.txt")):
        server = served(web, answer)
        error = error_of(lambda s=server: web.fetch(s, "/page", settings=ON))  # type: ignore[misc]
        assert error.code == "robots_disallowed"
        assert "could not be read" in error.message
        assert "/page" not in server.paths


def test_rules_are_read_once_for_several_pages(web: Web) -> None:
    server = served(web, reply("User-agent: *\nDisallow: /x", "text/plain"))
    for _ in range(3):
        web.fetch(server, "/page", settings=ON)
    assert server.paths.count("/robots.txt") == 1


def test_redirects_are_asked_about_as_well(web: Web) -> None:
    server = served(
        web, reply("User-agent: *\nDisallow: /page", "text/plain"), **{"/": redirect("/page")}
    )
    error = error_of(lambda: web.fetch(server, settings=ON))
    assert error.code == "robots_disallowed"
    assert "/page" not in server.paths


def test_robots_pass_the_guard_and_rules_on_the_inside_cannot_be_read(web: Web) -> None:
    inside = web.serve(reply("User-agent: *\nAllow: /", "text/plain"))
    server = served(web, redirect(f"http://localhost:{inside.port}/robots.txt"))
    error = error_of(lambda: web.fetch(server, "/page", settings=ON))
    assert error.code == "robots_disallowed"
    assert inside.paths == []


NO_PAGE = "User-agent: *\nDisallow: /page"


@pytest.mark.parametrize(
    "rules",
    [
        NO_PAGE.encode("utf-8-sig"),
        NO_PAGE.replace("\n", "\r").encode(),
        NO_PAGE.upper().replace("/PAGE", "/page").encode(),
        b"User-agent: *\nDisallow: /p%61ge",
        b"User-agent: *\nDisallow: /*age$",
        b"User-agent: other\nUser-agent: sift-batch\nDisallow: /page",
        b"User-agent: SIFT-BATCH/0.1\nDisallow: /page",
        b"\xff\xfe\x80 nonsense\n" + NO_PAGE.encode(),
        NO_PAGE.encode() + b"\n#" + b"a" * 1_000_000,
    ],
)
def test_a_refusal_is_found_however_it_is_written(web: Web, rules: bytes) -> None:
    server = served(web, reply(rules, "text/plain"))
    error = error_of(lambda: web.fetch(server, "/page", settings=ON))
    assert error.code == "robots_disallowed"
    assert "/page" not in server.paths


@pytest.mark.parametrize(
    "rules",
    [
        b"<html><body>Not found</body></html>",
        bytes(range(256)),
        b"  ",
        b"Disallow: /page",
        b"User-agent: *\nDisallow:",
        b"User-agent: *\nDisallow: /\nAllow: /page",
        b"User-agent: *\nCrawl-delay: 1000",
        b"#" + b"a" * 600_000 + b"\n" + NO_PAGE.encode(),
    ],
)
def test_what_refuses_nothing_allows_the_page(web: Web, rules: bytes) -> None:
    assert web.fetch(served(web, reply(rules, "text/plain")), "/page", settings=ON).content


def test_packed_rules_are_read_and_a_bomb_of_rules_is_a_refusal(web: Web) -> None:
    for body in (NO_PAGE.encode(), bytes(60_000_000)):
        packed = reply(gzip.compress(body), "text/plain", "200 OK", "Content-Encoding: gzip")
        server = served(web, packed)
        error = error_of(lambda s=server: web.fetch(s, "/page", settings=ON))  # type: ignore[misc]
        assert error.code == "robots_disallowed"


def test_a_rule_that_would_backtrack_takes_no_time(web: Web) -> None:
    path = "/" + "a" * 4000
    server = web.serve(
        {
            "/robots.txt": reply("User-agent: *\nDisallow: /" + "a*" * 2000 + "b", "text/plain"),
            path: PAGE,
        }
    )
    started = time.monotonic()
    assert web.fetch(server, path, settings=ON).content
    assert time.monotonic() - started < 2


def test_rules_that_drip_end_on_the_clock_of_the_target(web: Web) -> None:
    server = served(web, lambda request: [b"HTTP/1.1 200 OK\r\n\r\nUser", 5.0])
    started = time.monotonic()
    error = error_of(lambda: web.fetch(server, "/page", settings={**ON, "total_seconds": 0.5}))
    assert error.code == "timeout"
    assert time.monotonic() - started < 1.5
