"""What a page is made of decides what of it is read."""

from __future__ import annotations

import pytest

from .kit import OTHER, PARAGRAPH, Web
from .test_html import markdown

LONG = PARAGRAPH + OTHER
FORUM = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
POSTS = "".join(
    f'<div class="comment"><p>I crossed it {number} times as a child, and each time it shook.</p>'
    "<p>Nobody in the village would believe me, so I counted the stones.</p></div>"
    for number in range(20, 26)
)


def test_what_others_wrote_is_the_content_of_a_forum_and_not_of_an_article(web: Web) -> None:
    page = f"<main><h1>Which bridge?</h1>{LONG}<div id='comments'>{POSTS}</div></main>"
    assert "as a child" in markdown(web, FORUM + page, mode="article")
    assert "as a child" not in markdown(web, page, mode="article")


def test_text_that_only_scripts_hold_is_not_the_pages_text(web: Web) -> None:
    facts = '{"@type": "Article", "articleBody": "' + "Never shown. " * 40 + '"}'
    page = f'<script type="application/ld+json">{facts}</script><p>Shown.</p>'
    for mode in ("auto", "article", "full", "text"):
        assert markdown(web, page, mode=mode) == "Shown."


@pytest.mark.parametrize("mode", ["auto", "full", "text"])
def test_a_page_may_leave_out_head_and_body(web: Web, mode: str) -> None:
    page = (
        f"<!doctype html><meta charset=utf-8><title>Town</title><main><h1>Bridge</h1>{LONG}</main>"
        f"{LONG}<p>At the end.</p>"
    )
    content = markdown(web, page, mode=mode)
    found = [content.find(text) for text in ("Bridge", "The committee", "At the end")]
    assert -1 not in found
    assert found == sorted(found)
