"""A list is numbered as its page numbers it."""

from __future__ import annotations

import re

import pytest

from .kit import PARAGRAPH, Web
from .test_html import markdown

LISTS = {
    '<ol start="5"><li>five<li>six</ol>': "5. five\n6. six",
    '<ol start="5"><li>five<li value="10">ten<li>eleven</ol>': "5. five\n10. ten\n11. eleven",
    "<ol reversed><li>three<li>two<li>one</ol>": "3. three\n2. two\n1. one",
    '<ol reversed start="9"><li>nine<li>eight</ol>': "9. nine\n8. eight",
    '<ol start="0"><li>zero<li>one</ol>': "0. zero\n1. one",
    '<ol start="3"><li><p>three</p><li><b>four</b> all</ol>': "3. three\n4. **four** all",
    '<ol start="3"><li>a<ol start="7"><li>b<li>c</ol><li>d</ol>': ("3. a\n   7. b\n   8. c\n4. d"),
    '<ol start="3"><li>a<ul><li value="8">b</ul><li>c</ol>': "3. a\n   - b\n4. c",
    # Numbers that Markdown does not have, or nobody means.
    '<ol start="-2"><li>a<li>b</ol>': "1. a\n2. b",
    '<ol start="99999999999"><li>a<li>b</ol>': "1. a\n2. b",
    '<ol start="five"><li value="">a<li value="x">b</ol>': "1. a\n2. b",
    '<ol reversed start="0"><li>a<li>b</ol>': "1. a\n2. b",
}


@pytest.mark.parametrize("mode", ["article", "full", "text"])
@pytest.mark.parametrize("html", LISTS)
def test_the_numbers_are_the_pages(web: Web, html: str, mode: str) -> None:
    page = f"<main><h1>Rules</h1>{PARAGRAPH}{html}{PARAGRAPH}</main>"
    expected = LISTS[html].replace("**", "" if mode == "text" else "**")
    # How many lines are left blank around lists is another matter.
    content = re.sub(r"\n{2,}", "\n", markdown(web, page, mode=mode))
    assert f"\n{expected}\n" in content


def test_the_items_of_a_plain_list_are_numbered_in_text_too(web: Web) -> None:
    page = f"<main>{PARAGRAPH}<ol><li>one<li>two</ol><ul><li>three</ul>{PARAGRAPH}</main>"
    assert "1. one\n2. two\n" in markdown(web, page, mode="text")
    assert "\n- three\n" in markdown(web, page, mode="text")
