"""An archive that answers with anything but what it should."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from .kit import Web, error_of, redirect, reply
from .test_recover import COPY, STAMPS, Archive

HEAD = ["timestamp", "original"]
SECOND = "2022-01-01T00:00:00Z"


def cdx(web: Web, make: Callable[[str], Any]) -> Archive:
    """An archive with copies, whose list of them is what ``make`` says about a URL."""
    archive = Archive(web)
    archive.copies = dict.fromkeys(STAMPS, COPY)
    given = make(archive.url)
    text = given if isinstance(given, str | bytes) else json.dumps(given)
    archive.cdx = lambda path: reply(text, "application/json")
    return archive


@pytest.mark.parametrize(
    "row",
    [
        None,
        5,
        [],
        ["2020"],
        [[1], [2]],
        [None, None],
        ["2020", "URL"],
        ["99999999999999", "URL"],
        ["20230231000000", "URL"],
        ["00000000000000", "URL"],
        ["20230101000000\n", "URL"],
        ["٢٠٢٣٠١٠١٠٠٠٠٠٠", "URL"],
        ["20230101000000", None],
        ["20230101000000", 7],
        ["20230101000000", ""],
        ["20230101000000", "@other.test/"],
        ["20230101000000", "javascript:x"],
    ],
)
def test_a_row_that_is_none_does_not_cost_the_good_ones(web: Web, row: Any) -> None:
    def rows(url: str) -> Any:
        bad = [url if cell == "URL" else cell for cell in row] if isinstance(row, list) else row
        return [HEAD, bad, [STAMPS[1], url]]

    assert cdx(web, rows).fetch().meta["archived_at"] == SECOND


@pytest.mark.parametrize(
    "text",
    ["<html>oops", "5", "true", "NaN", "[5]", "[null]", "[[[]]]", '{"a": [1]}', "[" * 100_000,
     '[["timestamp", "original"]', b"\xff\xfe\x00"],
)  # fmt: skip
def test_a_list_that_cannot_be_read_is_an_archive_that_could_not_be_asked(
    web: Web, text: str | bytes
) -> None:
    error = error_of(cdx(web, lambda url: text).fetch)
    assert error.code == "not_found"
    assert "could not be asked" in error.hint


@pytest.mark.parametrize("text", ["", " \n", "[]", "[[]]", '[["timestamp", "original"]]', "null"])
def test_a_list_without_rows_is_no_copy(web: Web, text: str) -> None:
    error = error_of(cdx(web, lambda url: text).fetch)
    assert error.code == "not_found"
    assert "no copy" in error.hint


def test_a_failed_question_under_one_scheme_is_not_forgotten_under_the_other(web: Web) -> None:
    archive = Archive(web)
    archive.cdx = lambda path: (
        reply("", "text/html", "503 Busy") if "url=https" in path else reply(" ")
    )
    assert "could not be asked" in error_of(archive.fetch).hint


def test_a_packed_list_with_a_mark_before_it_is_read(web: Web) -> None:
    archive = Archive(web)
    archive.copies = dict.fromkeys(STAMPS, COPY)
    text = "\ufeff" + json.dumps([HEAD, [STAMPS[1], archive.url]])
    packed = gzip.compress(text.encode())
    archive.cdx = lambda path: reply(packed, "application/json", "200 OK", "Content-Encoding: gzip")
    assert archive.fetch().meta["archived_at"] == SECOND


def test_credentials_in_a_row_are_not_told(web: Web) -> None:
    archive = cdx(web, lambda url: [HEAD, [STAMPS[0], url.replace("//", "//user:secret@")]])
    meta = archive.fetch().meta
    assert "secret" not in str(meta)
    assert meta["recovered"] is True


@pytest.mark.parametrize("stamp", ["99999999999999", "20230231000000", "2019"])
def test_a_redirect_to_a_moment_that_never_was_is_passed_over(web: Web, stamp: str) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], redirect(f"/web/{stamp}id_/{archive.url}"))
    archive.has(STAMPS[1])
    archive.copies[stamp] = COPY
    assert archive.fetch().meta["archived_at"] == SECOND


def test_redirects_between_copies_end(web: Web) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], redirect(f"/web/{STAMPS[2]}id_/{archive.url}"))
    archive.copies[STAMPS[2]] = redirect(f"/web/{STAMPS[0]}id_/{archive.url}")
    archive.has(STAMPS[1])
    assert archive.fetch().meta["archived_at"] == SECOND
    assert len(archive.server.requests) < 12


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("http://gone.test/page", "http://gone.test:80/page"),
        ("https://gone.test/page", "https://gone.test:443/page"),
        ("http://gone.test/page", "http://www.gone.test/page"),
        ("http://gone.test/page", "https://gone.test/page/"),
        ("http://gone.test/Page", "http://GONE.test/page"),
    ],
)
def test_a_redirect_to_another_spelling_of_the_url_is_followed(
    web: Web, asked: str, served: str
) -> None:
    archive = Archive(web)
    archive.url = asked
    archive.has(STAMPS[0], redirect(f"/web/20190203040506id_/{served}"))
    archive.copies["20190203040506"] = COPY
    config = {"resolver": only_the_archive, "allowed_ports": [80, 443, archive.server.port]}
    assert archive.fetch(**config).meta["archived_at"] == "2019-02-03T04:05:06Z"


def only_the_archive(host: str) -> list[str]:
    return ["127.0.0.1"] if host == "archive.test" else []


@pytest.mark.parametrize(
    "broken",
    [
        reply(b"\x1f\x8b\x08 no gzip", "text/html", "200 OK", "Content-Encoding: gzip"),
        reply("", "text/html", "204 No Content"),
        reply("", "text/html", "206 Partial"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"",
        redirect(""),
        redirect("http://localhost/"),
    ],
)
def test_a_copy_that_cannot_be_fetched_gives_way_to_the_next(web: Web, broken: bytes) -> None:
    archive = Archive(web)
    archive.has(STAMPS[0], broken)
    archive.has(STAMPS[1])
    assert archive.fetch().meta["archived_at"] == SECOND


OTHERS = [
    "http://other.test/page",
    "http://gone.test/",
    "http://gone.test/page/2",
    "http://gone.test/page?id=2",
    "http://gone.test:8080/page",
    "http://sub.gone.test/page",
    "http://gone.test.other.test/page",
    "http://other.test/http://gone.test/page",
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_copy_of_another_url_is_no_copy(web: Web, other: str) -> None:
    archive = cdx(web, lambda url: [HEAD, [STAMPS[0], other]])
    archive.url = "http://gone.test/page"
    ports = {"allowed_ports": [80, 443, archive.server.port], "resolver": only_the_archive}
    error = error_of(lambda: archive.fetch(**ports))
    assert error.code == "dns_not_found"
    assert "no copy" in error.hint
    archive = cdx(web, lambda url: [HEAD, [STAMPS[0], other], [STAMPS[1], "http://gone.test/page"]])
    archive.url = "http://gone.test/page"
    ports["allowed_ports"] = [80, 443, archive.server.port]
    assert archive.fetch(**ports).meta["archived_at"] == SECOND


@pytest.mark.parametrize(
    ("asked", "original"),
    [
        ("http://gone.test/page", "https://www.GONE.test:443/page/"),
        ("http://www.gone.test/page?a=1", "http://gone.test/page?a=1"),
        ("http://gone.test/?a=1", "http://gone.test?a=1"),
        ("http://gone.test/page?b=2&a=1", "http://gone.test/page?a=1&b=2"),
        ("http://gone.test", "http://gone.test:80/"),
        ("http://gone.test/gr%c3%bc%C3%9F", "http://gone.test/grüß"),
        ("http://müller.test/", "http://xn--mller-kva.test/"),
        ("http://gone.test/page#part", "http://gone.test/page"),
        ("http://gone.test/page", "http://user:pass@gone.test/page?"),
    ],
)
def test_a_copy_may_spell_its_url_in_another_way(web: Web, asked: str, original: str) -> None:
    archive = cdx(web, lambda url: [HEAD, [STAMPS[1], original]])
    archive.url = asked
    ports = {"allowed_ports": [80, 443, archive.server.port], "resolver": only_the_archive}
    assert archive.fetch(**ports).meta["archived_at"] == SECOND
