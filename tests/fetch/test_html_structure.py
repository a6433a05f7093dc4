"""What a page is made of decides what of it is read."""

from __future__ import annotations

import pytest

from .kit import OTHER, PARAGRAPH, Web, error_of, reply
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


@pytest.mark.parametrize("mode", ["auto", "text", "article"])
def test_an_extraction_that_breaks_is_said_to_have_broken(
    web: Web, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise LookupError("of its own")

    monkeypatch.setattr("trafilatura.bare_extraction", broken)
    page = reply(f"<main>{LONG}</main>")
    if mode == "article":
        assert error_of(lambda: web.fetch(page, mode=mode)).code == "too_complex"
        return
    result = web.fetch(page, mode=mode)
    assert OTHER[3:40] in result.content
    (warning,) = result.meta["warnings"]
    assert warning["code"] == "main_content_not_found"
    assert "broke" in warning["message"]


def test_memory_that_runs_out_is_no_fault_of_the_page(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*args: object, **kwargs: object) -> None:
        raise MemoryError

    for name in ("trafilatura.bare_extraction", "htmldate.find_date"):
        with monkeypatch.context() as patch:
            patch.setattr(name, greedy)
            with pytest.raises(MemoryError):
                web.fetch(reply(f"<main>{LONG}</main>"))
