"""What holds for any input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from batch.errors import FetchError
from sift_batch.fetch.address import join_url, parse_url
from sift_batch.fetch.charset import read_text
from sift_batch.fetch.clock import Clock
from sift_batch.fetch.decode import decoded
from sift_batch.fetch.errors import BadOption
from sift_batch.fetch.html.convert import convert_html
from sift_batch.fetch.html.tree import parse
from sift_batch.fetch.meta import Meta
from sift_batch.fetch.pages import parse_pages
from sift_batch.fetch.passages import split
from sift_batch.fetch.sniff import detect

quick = settings(max_examples=60, deadline=None)

NAMES = "p div ul ol li table tr td pre a b h1 h2 blockquote br code img noscript script title"
TAGS = NAMES.split()
opening = st.builds(
    lambda tag, attribute: f"<{tag}{attribute}>",
    st.sampled_from(TAGS),
    st.sampled_from(
        ["", " href=x", " hidden", " colspan=3", " rowspan=0", " start=-1", " style=x"]
    ),
)
closing = st.sampled_from(TAGS).map(lambda tag: f"</{tag}>")
words = st.text(st.sampled_from("ab |`*[]()<>&\n\t#-1."), max_size=12)
pages = st.lists(st.one_of(opening, closing, words), max_size=40).map("".join)


def outcome(call: Callable[[], Any]) -> Any:
    """What ``call`` gives, or the error of ours that it raises."""
    try:
        return call()
    except FetchError as error:
        return error


@quick
@given(pages, st.sampled_from(["auto", "article", "full", "text"]))
def test_any_markup_becomes_text_or_an_error_of_ours(html: str, mode: str) -> None:
    made = outcome(lambda: convert_html(parse(html), html, "http://page.test/", mode, Meta("x")))
    if isinstance(made, FetchError):
        assert made.code in ("empty_content", "needs_javascript", "access_denied")
    else:
        assert made.content.strip()
        assert "qzkept" not in made.content


@quick
@given(
    st.binary(max_size=300), st.sampled_from(["", "text/html; charset=utf-16", "a; charset=big5"])
)
def test_any_bytes_become_text(body: bytes, content_type: str) -> None:
    text = read_text(body, content_type, html=True, warn=lambda *_: None).text
    assert text.encode("utf-8") is not None
    detect(body, content_type, "/x.json")


@quick
@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd", "br, gzip"]))
def test_any_bytes_are_unpacked_or_an_error_of_ours(body: bytes, encoding: str) -> None:
    made = outcome(
        lambda: decoded(body, encoding, max_bytes=10_000, clock=Clock(5), warn=lambda *_: None)
    )
    if isinstance(made, FetchError):
        assert made.code in ("bad_response", "connection_lost", "decompression_limit")


@quick
@given(st.text(max_size=60))
def test_any_text_is_a_url_or_an_error_of_ours(text: str) -> None:
    base = parse_url("http://page.test/dir/")
    for read in (parse_url, lambda t: join_url(base, t), lambda t: parse_url(f"http://{t}")):
        made = outcome(lambda read=read: read(text))  # type: ignore[misc]
        if isinstance(made, FetchError):
            assert made.hint
        else:
            assert made.scheme in ("http", "https")
            assert not made.userinfo


@quick
@given(st.text(st.sampled_from("0123456789-, "), max_size=12), st.integers(1, 30))
def test_any_pages_are_within_the_document(text: str, count: int) -> None:
    try:
        chosen = parse_pages(text).within(count)
    except BadOption:
        return
    assert chosen == sorted(set(chosen))
    assert all(1 <= page <= count for page in chosen)


@quick
@given(st.text(st.sampled_from("ab #|`\n.<!->1: "), max_size=400))
def test_any_text_is_cut_into_passages_in_order(text: str) -> None:
    passages = split(text)
    assert all(0 <= p.start < p.end <= len(text) for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    assert all(text[p.start : p.end].strip() for p in passages)
