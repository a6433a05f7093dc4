"""An archived copy, when the live page is gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from batch.types import Result

from .kit import OTHER, PARAGRAPH, Server, Web, article, error_of, fetch, redirect, reply

GONE = reply("", "text/html", "404 Not Found")
LINK = '<p>See <a href="sub/x">the plan</a> for everything that was decided that day.</p>'
COPY = reply(article(PARAGRAPH, OTHER, LINK))
STAMPS = ("20230101000000", "20220101000000", "20210101000000")


class Archive:
    """A Wayback machine, and a live server beside it."""

    def __init__(self, web: Web, live: Any = GONE) -> None:
        self.web = web
        self.live = web.serve(live)
        self.url = f"http://page.test:{self.live.port}/dir/page"
        self.rows: dict[str, list[tuple[str, str]]] = {"http": [], "https": []}
        self.cdx: Any = self._cdx
        self.copies: dict[str, Any] = {}
        self.server: Server = web.serve(self._answer)

    def has(self, stamp: str, answer: bytes = COPY, scheme: str = "http") -> None:
        self.rows[scheme].append((stamp, self.url))
        self.copies[stamp] = answer

    def fetch(self, **settings: Any) -> Result:
        config = self.web.config(
            archive_url=f"http://archive.test:{self.server.port}/", attempts=1, **settings
        )
        return fetch(self.url, config, recover=True)

    def snapshot(self, stamp: str) -> str:
        return f"http://archive.test:{self.server.port}/web/{stamp}id_/{self.url}"

    def _answer(self, request: bytes) -> Any:
        path = request.split(b" ", 2)[1].decode()
        if path.startswith("/cdx/"):
            return self.cdx(path)
        stamp = path.split("/")[2].removesuffix("id_")
        return self.copies.get(stamp, GONE)

    def _cdx(self, path: str) -> bytes:
        assert "filter=statuscode:200" in path
        rows = self.rows["https" if "url=https" in path else "http"]
        table = [["timestamp", "original"], *map(list, rows)] if rows else []
        return reply(json.dumps(table), "application/json")


def test_a_copy_stands_in_for_a_page_that_is_gone_and_says_so(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0])
    result = archive.fetch()
    assert "bridge" in result.content
    assert f"(http://page.test:{archive.live.port}/dir/sub/x)" in result.content
    meta = result.meta
    assert meta["recovered"] is True
    assert meta["archived_at"] == "2023-01-01T00:00:00Z"
    assert meta["archive_url"] == archive.snapshot(STAMPS[0])
    assert meta["live_error"]["code"] == "not_found"
    assert meta["live_error"]["status_code"] == 404
    assert meta["status_code"] == 404
    assert meta["final_url"] == archive.url


def test_a_live_page_needs_no_archive(web: Web) -> None:
    archive = Archive(web, COPY)
    result = archive.fetch()
    assert "recovered" not in result.meta
    assert archive.server.requests == []


def test_the_newest_copy_comes_first(web: Web) -> None:
    archive = Archive(web)
    for stamp in reversed(STAMPS):
        archive.has(stamp)
    assert archive.fetch().meta["archived_at"] == "2023-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "broken",
    [
        redirect("http://elsewhere.test/"),
        redirect("/web/20230101000000id_/http://other.test/"),
        GONE,
        reply("", "text/html", "503 Busy"),
        reply("  "),
    ],
)
def test_a_copy_that_is_none_is_passed_over(web: Web, broken: bytes) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], broken)
    archive.has(STAMPS[1])
    archive.has(STAMPS[2])
    assert archive.fetch().meta["archived_at"] == "2022-01-01T00:00:00Z"


SHELL = '<div id="root"></div><noscript>You need to enable JavaScript.</noscript><script src="a">'
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(50)


@pytest.mark.parametrize(
    "useless",
    [reply(PICTURE, "image/png"), reply("<p> </p>"), reply(SHELL), reply(b"%PDF-1.7\nno more")],
    ids=["picture", "empty", "shell", "pdf"],
)
def test_a_copy_that_says_nothing_gives_way_to_an_older_one(web: Web, useless: bytes) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], useless)
    archive.has(STAMPS[1], useless)
    archive.has(STAMPS[2])
    result = archive.fetch()
    assert "bridge" in result.content
    assert result.meta["archived_at"] == "2021-01-01T00:00:00Z"
    assert result.meta["detected_type"] == "html"
    assert result.meta["warnings"] == []
    assert result.meta["live_error"]["code"] == "not_found"


def test_where_no_copy_says_anything_the_newest_tells_why(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], reply(PICTURE, "image/png"))
    archive.has(STAMPS[1], reply(SHELL))
    error = error_of(archive.fetch)
    assert error.code == "unsupported_type"
    assert error.meta is not None
    assert error.meta["archived_at"] == "2023-01-01T00:00:00Z"
    assert error.meta["content_type"] == "image/png"
    assert error.meta["live_error"]["code"] == "not_found"


def test_the_columns_are_read_by_their_names(web: Web) -> None:
    archive = Archive(web)
    for stamp in STAMPS[:3]:
        archive.has(stamp)
    head = ["urlkey", "timestamp", "original", "mimetype", "statuscode"]
    rows = [
        ["test,page)/", stamp, archive.url, "text/html", status]
        for stamp, status in zip(STAMPS, ["302", "200", "200"], strict=False)
    ]
    archive.cdx = lambda path: reply(json.dumps([head, *rows]), "application/json")
    assert archive.fetch().meta["archived_at"] == "2022-01-01T00:00:00Z"


def test_the_timestamp_that_was_served_is_the_one_that_is_told(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], redirect(f"/web/20190203040506id_/{archive.url}"))
    archive.copies["20190203040506"] = COPY
    meta = archive.fetch().meta
    assert meta["archived_at"] == "2019-02-03T04:05:06Z"
    assert "20190203040506" in meta["archive_url"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_copies_are_looked_for_under_both_schemes(web: Web, scheme: str) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], scheme=scheme)
    assert archive.fetch().meta["recovered"] is True


def test_no_copy_is_told_apart_from_an_archive_that_is_down(web: Web) -> None:
    archive = Archive(web)
    error = error_of(archive.fetch)
    assert error.code == "not_found"
    assert "no copy" in error.hint
    assert error.meta is not None
    assert error.meta["recover_tried"] is True
    archive.cdx = lambda path: reply("", "text/html", "503 Busy")
    error = error_of(archive.fetch)
    assert error.code == "not_found"
    assert "could not be asked" in error.hint


@pytest.mark.parametrize(
    "status", ["401 No", "403 No", "407 No", "451 Law", "429 Slow", "500 Bad", "418 Teapot"]
)
def test_a_page_that_is_refused_or_fails_is_not_gone(web: Web, status: str) -> None:
    archive = Archive(web, reply("", "text/html", status))
    archive.has(STAMPS[0])
    error = error_of(archive.fetch)
    assert archive.server.requests == []
    assert error.meta is not None
    assert "recover_tried" not in error.meta


def test_a_host_that_is_gone_is_a_page_that_is_gone(web: Web) -> None:
    import socket

    archive = Archive(web)
    archive.has(STAMPS[0])

    def resolver(host: str) -> list[str]:
        if host == "page.test":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return ["127.0.0.1"]

    meta = archive.fetch(resolver=resolver).meta
    assert meta["live_error"] == {
        "code": "dns_not_found",
        "message": "the URL's host name does not exist",
        "status_code": None,
    }
    assert meta["status_code"] is None


def test_the_archive_passes_the_guard(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0])
    resolver = {"page.test": ["127.0.0.1"], "archive.test": ["127.0.0.3"]}
    error = error_of(lambda: archive.fetch(resolver=resolver.__getitem__))
    assert error.code == "not_found"
    assert "could not be asked" in error.hint
    assert archive.server.requests == []


def test_the_guard_is_never_a_reason_to_ask_the_archive(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0])
    error = error_of(lambda: archive.fetch(allowed_networks=[]))
    assert error.code == "blocked_address"
    assert archive.server.requests == []
