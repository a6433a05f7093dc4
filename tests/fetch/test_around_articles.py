"""What stands around an article and is not of it, and what is of it though it looks otherwise."""

from __future__ import annotations

import re

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, reply

LONG = PARAGRAPH + OTHER


def content(web: Web, html: str, mode: str = "auto") -> str:
    return web.fetch(reply(html), mode=mode).content


@pytest.mark.parametrize("mode", ["article", "text"])
def test_text_that_stands_in_a_box_is_not_cut_at_its_links(web: Web, mode: str) -> None:
    says = "In a <a href='/s'>speech</a> on Tuesday the mayor spoke of the bridge, of the river"
    says += " and of <a href='/q'>the quarry</a>, which was in nobody's plan before the winter."
    html = f"<div class='entry'>{PARAGRAPH}{says}<br><br>{OTHER}</div>"
    shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", content(web, html, mode))
    assert "In a speech on Tuesday the mayor" in shown
    assert "and of the quarry, which was" in shown


@pytest.mark.parametrize(
    "name", ["id=comentarios", "class='visitors_comment_block'", "class=articleComments"]
)
def test_what_readers_wrote_below_an_article_is_not_part_of_it(web: Web, name: str) -> None:
    said = f"<div {name}><h3>Get real</h3><p>I have seen better bridges in my bathtub.</p></div>"
    html = f"<main class='has-comments'><h1>The bridge</h1>{LONG * 2}{said}</main>"
    shown = content(web, html)
    assert "The committee met" in shown
    assert [word for word in ("Get real", "bathtub") if word in shown] == []
    assert "bathtub" in content(web, html, "full")


def test_a_page_that_is_all_comments_keeps_them(web: Web) -> None:
    said = f"<div class='user-comment'>{LONG}</div><div class='user-comment'>{PARAGRAPH}</div>"
    assert "The committee met" in content(web, f"<main><h1>The bridge</h1>{said}</main>")


@pytest.mark.parametrize("mode", ["article", "full", "text"])
@pytest.mark.parametrize("name", ["d-none d-print-block", "hidden print:block"])
def test_what_is_for_paper_alone_is_not_shown(web: Web, name: str, mode: str) -> None:
    html = article(PARAGRAPH, f"<div class='{name}'><p>Printed from our site</p></div>", OTHER)
    assert "Printed" not in content(web, html, mode)


@pytest.mark.parametrize(
    "name", ["d-none d-md-block d-print-none", "hidden print:block lg:block", "d-print-block"]
)
def test_what_is_on_paper_and_on_a_screen_stays(web: Web, name: str) -> None:
    html = article(PARAGRAPH, f"<div class='{name}'>{OTHER}</div>", PARAGRAPH)
    assert "Nobody in the valley" in content(web, html)


def test_a_title_is_said_once_and_who_holds_the_rights_is_not_said(web: Web) -> None:
    title = "The bridge is to be rebuilt"
    html = article(
        f"<h1>{title}</h1><h2>{title}</h2>", LONG, "<p>© 2019 The Valley Times. All rights.</p>"
    )
    shown = content(web, html)
    assert shown.count(title) == 1
    assert shown.startswith(f"# {title}")
    assert "Valley Times" not in shown


def test_underlined_words_have_no_mark(web: Web) -> None:
    html = article(LONG, "<p>They said <u>nothing</u> about the old mill.</p>")
    assert "They said nothing about the old mill." in content(web, html)
