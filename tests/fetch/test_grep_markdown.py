"""The option grep on text that is written with Markdown's backslashes."""

from __future__ import annotations

import time

import pytest

from batch.types import Result

from .kit import Web, article, reply, warnings_of


def grep(web: Web, pattern: str, *lines: str, **options: str) -> Result:
    page = article(*(f"<p>{line}</p>" for line in lines))
    return web.fetch(reply(page), grep=pattern, **{"mode": "full", **options})


@pytest.mark.parametrize(
    ("pattern", "html", "line"),
    [
        ("__init__", "Call __init__ first.", r"1:Call \_\_init\_\_ first."),
        (r"see a\[0\]\(", "see a[0](b) here", r"1:see a[0\](b) here"),
        (r"^1\. May", "1. May was cold", r"1:1\. May was cold"),
        (r"^# no", "# no heading", r"1:\# no heading"),
        (r"\*stars\*$", "the *stars*", r"1:the \*stars\*"),
        (r"C:\\\*", r"at C:\*", r"1:at C:\\\*"),
        (r"\\_\\_init", "__init__", r"1:\_\_init\_\_"),
    ],
)
def test_a_line_is_found_by_what_it_reads_and_comes_as_it_is_written(
    web: Web, pattern: str, html: str, line: str
) -> None:
    result = grep(web, pattern, html, "another line")
    assert result.content == line
    assert result.meta["grep_matches"] == 1
    assert warnings_of(result) == []


def test_a_long_line_is_cut_around_what_it_reads(web: Web) -> None:
    content = grep(web, "__needle__", "_a_ " * 2000 + "__needle__" + " _a_" * 2000).content
    assert 200 < content.index(r"\_\_needle\_\_") < 300
    assert len(content) <= 510


def test_text_that_is_no_markdown_is_only_what_is_written(web: Web) -> None:
    text = r"a \_b\_ and C:\[x]"
    for content_type in ("text/plain", "text/csv"):
        assert web.fetch(reply(text, content_type), grep="_b_|C:.x").content == ""
    assert web.fetch(reply(text, "text/markdown"), grep="_b_").content == f"1:{text}"
    assert web.fetch(reply(text, "text/markdown"), grep="_b_", mode="raw").content == ""
    assert grep(web, "__init__", r"\_\_init\_\_", mode="text").content == ""
    assert grep(web, "__init__", r"\_\_init\_\_", mode="raw").content == ""
    body = reply(r'{"text": "\\_b\\_"}', "application/json")
    assert web.fetch(body, jq=".text", grep="_b_").content == ""


def test_any_number_of_backslashes_takes_no_time(web: Web) -> None:
    text = "\\_" * 400_000 + "z"
    started = time.monotonic()
    assert web.fetch(reply(text, "text/markdown"), grep="(_+)+z").meta["grep_matches"] == 1
    assert web.fetch(reply(text, "text/markdown"), grep="(_+)+y").meta["grep_matches"] == 0
    assert time.monotonic() - started < 3
