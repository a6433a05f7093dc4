"""Pages that are large, and pages that trip up what they are handed to."""

from __future__ import annotations

import time

import pytest

from batch.errors import FetchError

from .kit import OTHER, PARAGRAPH, Web, article, error_of, reply


@pytest.mark.long
def test_a_hundred_thousand_rows_end_within_the_clock(web: Web) -> None:
    html = "<table>" + "<tr><td>12345<td>some words<td>x" * 100_000 + "</table>"
    started = time.monotonic()
    result = web.fetch(reply(html), settings={"total_seconds": 60.0})
    assert time.monotonic() - started < 20
    assert result.content.count("12345") > 20_000
    assert result.meta["truncated_reason"] == "content_limit"


@pytest.mark.parametrize(
    "mode",
    [
        "auto",
        pytest.param("full", marks=pytest.mark.long),
        pytest.param("text", marks=pytest.mark.long),
    ],
)
def test_two_megabytes_of_paragraphs_of_one_word_end_within_the_clock(web: Web, mode: str) -> None:
    words = [f"<p>word{n}" for n in range(180_000)]
    html = "<html><body>" + "".join(words)
    assert len(html) > 1_900_000
    started = time.monotonic()
    result = web.fetch(reply(html), mode=mode, settings={"total_seconds": 60.0})
    assert time.monotonic() - started < 20
    assert result.content.startswith("word0")


@pytest.mark.parametrize(
    ("dropped", "times"),
    [
        ("<!-- c -->", 200_000),
        ("<p hidden>a</p>", 30_000),
        ("<svg></svg>", 30_000),
        ("<nav></nav>", 30_000),
        ("<a href='#x'>\u00b6</a>", 30_000),
    ],
)
def test_many_things_that_are_dropped_cost_seconds(web: Web, dropped: str, times: int) -> None:
    html = "<html><body><p>" + f"{dropped}wo " * times
    started = time.monotonic()
    result = web.fetch(reply(html), settings={"total_seconds": 60.0})
    assert time.monotonic() - started < 15
    assert result.content.count("wo") == times


@pytest.mark.parametrize(
    "head",
    [
        "<meta>",
        "<title></title>",
        "<meta><title></title><meta name><meta content><meta property=og:title>",
        "<meta name=author><meta name=date content=''><meta property=article:published_time>",
        "<meta property=article:published_time content='0001-01-01T00:00:00+23:59'>",
        "<meta property=article:published_time content='9999-12-31T23:59:59-23:59'>",
        "<meta http-equiv=refresh><meta http-equiv=refresh content='1.2.3;url=/x'>",
        "<link rel=canonical><link rel=canonical href='http://[::1'>",
        "<base href='http://[::1'>",
        "<base href=''><base href='data:x'>",
        "<script type=application/ld+json></script><script type=application/ld+json>[[[</script>",
        "<script type=application/ld+json>{'@graph': [null, 5]}</script>",
        '<script type=application/ld+json>{"@graph": [5, {"@type": [], "author": 7}]}</script>',
        "<script type=application/ld+json>" + "[" * 5000 + "</script>",
        "<html lang=''><html lang>",
    ],
)  # fmt: skip
def test_a_head_of_any_kind_costs_no_page(web: Web, head: str) -> None:
    for mode in ("auto", "article", "full", "text"):
        assert "bridge" in web.fetch(reply(article(PARAGRAPH, OTHER, head=head)), mode=mode).content


def text_or_code(web: Web, html: str, mode: str) -> str:
    try:
        return web.fetch(reply(html), mode=mode).content
    except FetchError as error:
        return error.code


@pytest.mark.parametrize("depth", [300, 1200, 20_000])
@pytest.mark.parametrize("tag", ["div", "ul><li", "blockquote", "table><tr><td", "b", "span"])
def test_nesting_is_read_or_told_to_be_too_complex(web: Web, tag: str, depth: int) -> None:
    html = f"<{tag}>" * depth + PARAGRAPH
    started = time.monotonic()
    for mode in ("auto", "full"):
        made = text_or_code(web, html, mode)
        several_levels_each = ">" in tag
        too_deep = depth > 1200 or several_levels_each
        assert "bridge" in made or (too_deep and made == "too_complex")
    assert time.monotonic() - started < 20


def test_a_body_that_begins_like_an_archive_is_not_unpacked_again(web: Web) -> None:
    body = b"\x1f\x8b\x08\x00" + article(PARAGRAPH, OTHER).encode()
    error = error_of(lambda: web.fetch(reply(body)))
    assert error.code in ("unsupported_type", "connection_lost")
