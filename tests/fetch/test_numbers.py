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
    '<ol start="7"><div><li>seven<li>eight</div></ol>': "7. seven\n8. eight",
    '<ol start="2"><ol><li>a<li>b</ol><li>two</ol>': "1. a\n2. b\n2. two",
    # Numbers that Markdown does not have, or nobody means.
    '<ol start="-2"><li>a<li>b</ol>': "1. a\n2. b",
    '<ol start="99999999999"><li>a<li>b</ol>': "1. a\n2. b",
    '<ol><li value="999999999">a<li>b</ol>': "1. a\n2. b",
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


LEFT_OUT = {
    "an image": '<img src="/a.png">',
    "nothing": "",
    "a frame": '<iframe src="/film"></iframe>',
    "a field": '<input value="x">',
    "a button": "<button>Go</button>",
}


@pytest.mark.parametrize("mode", ["auto", "article", "full", "text"])
@pytest.mark.parametrize("inside", LEFT_OUT.values(), ids=LEFT_OUT)
def test_an_item_without_text_does_not_shift_the_others(web: Web, inside: str, mode: str) -> None:
    steps = f"<ol><li>Close the valve.<li>{inside}<li>Open the drain.</ol>"
    page = f"<article><h1>Steps</h1>{PARAGRAPH}{steps}<p>Repeat step 3.</p>{PARAGRAPH}</article>"
    content = markdown(web, page, mode=mode)
    assert "1. Close the valve.\n" in content
    assert "\n3. Open the drain.\n" in content


def test_an_item_that_is_a_time_is_kept(web: Web) -> None:
    years = "<ol><li>The year 2019<li><time>2021</time><li>The year 2023</ol>"
    content = markdown(web, f"<article><h1>Years</h1>{PARAGRAPH}{years}{PARAGRAPH}</article>")
    assert "1. The year 2019\n2. 2021\n3. The year 2023\n" in content


def test_text_that_begins_like_an_item_is_none(web: Web) -> None:
    years = '<ol start="3"><li>2024. A good year<li>- dashed</ol>'
    content = markdown(web, f"<article><h1>Years</h1>{PARAGRAPH}{years}{PARAGRAPH}</article>")
    assert "3. 2024\\. A good year\n4. \\- dashed\n" in content


NETWORKS = ("Facebook", "Twitter", "WhatsApp", "Email", "Print", "Pinterest", "Reddit", "WeChat")


@pytest.mark.parametrize(
    ("one", "line"),
    [
        ("<ul><li>{}</ul>", "- {}"),
        ("<h2>{}</h2>", "## {}"),
        ("<p>{}</p>", "{}"),
    ],
)
def test_the_name_of_a_network_is_text_too(web: Web, one: str, line: str) -> None:
    parts = "".join(one.format(name) + PARAGRAPH for name in NETWORKS)
    content = markdown(web, f"<article><h1>Networks compared</h1>{parts}</article>")
    assert [name for name in NETWORKS if f"\n{line.format(name)}\n" not in content] == []


def test_a_list_of_networks_is_whole(web: Web) -> None:
    names = "".join(f"<li>{name}" for name in (*NETWORKS, "Tumblr"))
    page = f"<article><h1>By members</h1>{PARAGRAPH}<ol>{names}</ol>{PARAGRAPH}</article>"
    content = markdown(web, page)
    expected = [f"{n}. {name}" for n, name in enumerate((*NETWORKS, "Tumblr"), 1)]
    assert "\n".join(expected) in content


def test_a_bar_of_buttons_is_no_text(web: Web) -> None:
    links = "".join(f"<li><a href='/to/{name}'>{name}</a>" for name in NETWORKS)
    marked = "".join(f"<li class='share-{name}'>{name}" for name in NETWORKS)
    for bar in (f"<ul class='share-buttons'>{links}</ul>", f"<ul>{marked}</ul>"):
        page = f"<article><h1>The bridge</h1>{PARAGRAPH}{PARAGRAPH}{bar}</article>"
        content = markdown(web, page, mode="article")
        assert [name for name in NETWORKS if name in content] == []
