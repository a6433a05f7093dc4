"""Whether a page is an index, whose links an article cannot hold."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree

MIN_TEASERS = 3
MAX_TEASERS = 300
"""As many as are looked at."""
LONGEST_LINK_CHARS = 200
"""A line beyond that is no link's text."""
MAX_TEASERS_CHARS = 20_000
"""Longer texts are no teasers."""
_LEAD = re.compile(r"^(?:[-*+>]|\d+\.|#+)\s+")
_LINKS_IN_CONTENT = etree.XPath(
    "//a[@href][not(ancestor::nav or ancestor::header or ancestor::footer or ancestor::aside)]"
)
_BOXES = ("li", "article", "section", "div", "td", "dd")
_LEVELS_TO_BOX = 4
_MARKS = re.compile(r"[*`\\~_]|\]\([^)]*\)|[\[\]\s]")


def mostly_lost_links(text: str, root: Any) -> bool:
    """Whether most lines were links whose targets the extraction dropped, as on index pages."""
    lines = [_LEAD.sub("", line.strip()) for line in text.split("\n") if line.strip()]
    if sum(len(line) > LONGEST_LINK_CHARS for line in lines) * 2 >= len(lines):
        return False
    texts = link_texts(root)
    lost = sum(line in texts for line in lines)
    return lost * 2 > len(lines)


def lost_links_outweigh(text: str, root: Any) -> bool:
    """Whether the links that an extraction left out have more to say than what it found.

    Those of menus and the like do not count. For short texts: long ones are no index pages.
    """
    texts = {" ".join(a.text_content().split()) for a in _LINKS_IN_CONTENT(root)}
    return sum(len(link) for link in texts if link not in text) > len(text)


def link_texts(root: Any) -> set[str]:
    """The texts of the links of a tree, as lines would show them."""
    texts = {" ".join(a.text_content().split()) for a in root.iter("a") if a.get("href")}
    return texts - {""}


def mostly_teasers(text: str, root: Any) -> bool:
    """Whether most lines belong to titles with a link that the extraction dropped.

    So it is with search results. A title belongs to a line when a small box holds both.
    """
    if len(text) > MAX_TEASERS_CHARS or sum(1 for _ in root.iter("article")) == 1:
        return False
    bare = _MARKS.sub("", text)
    titles = list(islice(filter(_is_title, root.iter("h2", "h3", "h4")), MAX_TEASERS))
    lost = {title for title in titles if _bare(title) and _bare(title) not in bare}
    if len(lost) < MIN_TEASERS:
        return False
    lines = {_MARKS.sub("", _LEAD.sub("", line.strip())) for line in text.split("\n")} - {""}
    told = sum(_lines_beside(title, lost, lines) for title in lost)
    return told * 2 > len(lines)


def _is_title(heading: Any) -> bool:
    """Whether it has or is a link, and stands neither in a menu nor in the page's head."""
    around = [ancestor.tag for ancestor in heading.iterancestors()]
    if "nav" in around or "aside" in around:
        return False
    if "header" in around and "article" not in around:
        return False
    if heading.find(".//a[@href]") is not None:
        return True
    return any(ancestor.get("href") for ancestor in heading.iterancestors("a"))


def _lines_beside(title: Any, titles: set[Any], lines: set[str]) -> int:
    """How many of the lines stand in the smallest box around a title that holds any."""
    for level, box in enumerate(title.iterancestors()):
        if level == _LEVELS_TO_BOX or box.tag not in (*_BOXES, "a", "header", "hgroup"):
            return 0
        if sum(other in titles for other in box.iter("h2", "h3", "h4")) > 1:
            return 0
        held = sum(_bare(element) in lines for element in box.iter("p", "div", "dd", "span", "td"))
        if held:
            return min(held, 2)
    return 0


def _bare(element: Any) -> str:
    return _MARKS.sub("", element.text_content())
