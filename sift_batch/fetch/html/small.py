"""Small pages, for which the extractor has a last resort that loses headings, lists and links."""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from ..limits import SMALL_PAGE_CHARS, SMALL_PAGE_SHARE
from .tree import body_of, drop, visible_chars
from .writer import HEADINGS, written

_AROUND = ("nav", "menu", "footer", "aside")
_FORMED = ("li", "blockquote", "table", "dt")
_MARKS_CHARS = 1000
"""Of a small page's article, for the addresses of its links and the like."""
_FORM = re.compile(r"^(?:#|[-*] |\d+\. |>|\||```)|\]\(", re.MULTILINE)


def small_page(root: Any, content: str) -> str:
    """All of a small page but its menus, when the article found is nearly all of that and has
    lost its form; else empty."""
    if len(content) > SMALL_PAGE_CHARS + _MARKS_CHARS:
        return ""
    page = copy(root)
    drop(page, list(page.iter(*_AROUND)))
    chars = visible_chars(page)
    if chars > SMALL_PAGE_CHARS or len(content) < SMALL_PAGE_SHARE * chars:
        return ""
    if chars < SMALL_PAGE_SHARE * len(" ".join(content.split())):
        return ""  # the article stood in what was left out
    if not _lost_its_form(page, content):
        return ""
    return written(body_of(page))


def _lost_its_form(page: Any, content: str) -> bool:
    if _FORM.search(content):
        return False
    links = any(link.get("href") for link in page.iter("a"))
    return links or next(page.iter(*HEADINGS, *_FORMED), None) is not None
