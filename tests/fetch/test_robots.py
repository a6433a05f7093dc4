"""robots.txt, where the operator wants it honoured."""

from __future__ import annotations

from typing import Any

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


def test_robots_pass_the_guard(web: Web) -> None:
    server = served(web, redirect("http://localhost/robots.txt"))
    error = error_of(lambda: web.fetch(server, "/page", settings=ON))
    assert error.code == "blocked_redirect"
