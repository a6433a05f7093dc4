"""Which URLs can be asked for at all."""

from __future__ import annotations

import pytest

from sift_batch.fetch.address import masked, parse_url

from .kit import PARAGRAPH, Web, article, error_of, fetch, reply


@pytest.mark.parametrize(
    "url",
    [
        "",
        "page",
        "//page.test/",
        "page.test/x",
        "page.test:8080/x",
        "http:///x",
        "http://",
        "http://xn--a/",
        "http://a..b/",
        "http://page.test:99999/",
        "http://page.test:x/",
        "http://user:secret@page.test/",
        "http://user@page.test/",
        "http://us er:secret@page.test/",
        "http://us\u3000er:secret@page.test/",
        "http://page.test\\@other.test/",
        "http://page.test/\x00",
        "http://page.test/a\nb",
        "http://pa ge.test/",
        "http://page.test%2f/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://" + "a" * 64 + ".test/",
        "http://page.test/" + "a" * 9000,
    ],
)
def test_a_url_that_is_none_is_invalid(url: str) -> None:
    error = error_of(lambda: fetch(url))
    assert error.code == "invalid_url"
    assert error.hint
    assert "secret" not in f"{error.message} {error.hint} {error.meta}"


@pytest.mark.parametrize("url", ["ftp://page.test/", "file:///etc/passwd", "javascript:alert(1)"])
def test_other_schemes_are_not_fetched(url: str) -> None:
    assert error_of(lambda: fetch(url)).code == "unsupported_scheme"


def test_a_host_with_an_underscore_is_fetched(web: Web) -> None:
    result = web.fetch(reply(article(PARAGRAPH, PARAGRAPH)), host="my_host.test")
    assert "bridge" in result.content


def test_a_url_within_the_query_may_have_what_it_likes() -> None:
    url = "http://x.test/?u=https://a@b.test/"
    assert str(parse_url(url)) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.%31/",
        "http://%31%32%37.0.0.1/",
        "http://\u0661\u0662\u0667.0.0.1/",
        "http://\u2460\u2461\u2466.0.0.1/",
        "http://127\uff610\uff610\uff611/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://0xffffffffff/",
        "http://1.0x0.0.0x1/",
        "http://page.test:0/",
    ],
)
def test_a_number_for_a_host_and_port_0_are_blocked(url: str) -> None:
    assert error_of(lambda: fetch(url)).code == "blocked_address"


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("HTTP://PAGE.test", "http://page.test"),
        (" http://page.test/ ", "http://page.test/"),
        ("http://page.test/a/./b/../c", "http://page.test/a/c"),
        ("http://page.test/\u00e4 b?\u00f6=\u2028", "http://page.test/%C3%A4%20b?%C3%B6=%E2%80%A8"),
        ("http://B\u00dcCHER.test/", "http://xn--bcher-kva.test/"),
        ("http://xn--ls8h.test/", "http://xn--ls8h.test/"),
        ("http://page.test/%zz%", "http://page.test/%zz%"),
    ],
)
def test_a_url_has_one_spelling(url: str, asked: str) -> None:
    assert str(parse_url(url)) == asked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://us er:secret@page.test/", "http://page.test/"),
        ("user:secret@page.test/", "page.test/"),
        ("http:user:secret@page.test", "page.test"),
        ("http://user:sec/ret@page.test/", "http://page.test/"),
        (
            "https://archive.test/id_/http://u:secret@page.test/",
            "https://archive.test/id_/http://page.test/",
        ),
        ("https://page.test/a//b:c/d@e", "https://page.test/a//b:c/d@e"),
        ("https://page.test:8080/@user", "https://page.test:8080/@user"),
        ("http://[::1]:8080/@user", "http://[::1]:8080/@user"),
        ("mailto:user@page.test", "mailto:user@page.test"),
        ("http://page.test/?q=a@b", "http://page.test/?q=a@b"),
    ],
)
def test_credentials_are_shown_nowhere_and_all_else_is(text: str, shown: str) -> None:
    assert masked(text) == shown
