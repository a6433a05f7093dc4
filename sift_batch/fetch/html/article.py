"""The main content as Markdown: trafilatura, with code and tables kept whole around it."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

from ..limits import LARGE_PAGE_ELEMENTS
from .tables import grid_of, write_grid
from .tree import body_of, has_more_elements
from .writer import fenced

MAX_FILLER_CHARS = 1000
_FACTS = etree.XPath("//script[@type='application/ld+json']")
_FORUM = '"DiscussionForumPosting"'
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d+\.) ")
_LEAD = re.compile(r"^(?:[-*+>]|\d+\.|#+)\s+")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_BLANKS = re.compile(r"\n{3,}")


def is_forum(root: Any) -> bool:
    """Whether a tree (not cleaned yet) says that its comments are the content."""
    return any(_FORUM in (script.text or "") for script in _FACTS(root))


def article(root: Any, *, plain: bool, forum: bool = False, max_elements: int | None = None) -> str:
    """The main content of a cleaned tree, empty when there is none. Changes the tree.

    Beyond ``max_elements`` (code and simple tables count as one) nothing is looked for.
    """
    from trafilatura import bare_extraction
    from trafilatura.xml import xmltotxt

    kept = _Kept(body_of(root).text_content(), plain)
    kept.take_from(root)
    if max_elements is not None and has_more_elements(root, max_elements):
        return ""
    if forum:
        # The one thing for which trafilatura needs a script; with the page's own it would also
        # take text that the page does not show.
        mark = etree.SubElement(body_of(root), "script", type="application/ld+json")
        mark.text = f'{{"@type": {_FORUM}}}'
    found: Any = bare_extraction(
        root,
        output_format="markdown",
        include_links=not plain,
        include_formatting=not plain,
        include_tables=True,
        include_comments=False,
        deduplicate=False,
        # The second opinions of other extractors take longest, and long pages need them least.
        fast=has_more_elements(root, LARGE_PAGE_ELEMENTS),
    )
    if found is None:
        return ""
    text = kept.set_apart(_TRAILING.sub("", xmltotxt(found.body, not plain)))
    return kept.put_back(_BLANKS.sub("\n\n", text).strip())


def mostly_lost_links(text: str, link_texts: set[str]) -> bool:
    """Whether most lines were links whose targets the extraction dropped, as on index pages."""
    lines = [_LEAD.sub("", line.strip()) for line in text.split("\n") if line.strip()]
    lost = sum(line in link_texts for line in lines)
    return lost * 2 > len(lines)


def link_texts(root: Any) -> set[str]:
    """The texts of the links of a tree, as lines would show them."""
    texts = {" ".join(a.text_content().split()) for a in root.iter("a") if a.get("href")}
    return texts - {""}


class _Kept:
    """Code and simple tables, which trafilatura would flatten: taken out and put back.

    Each leaves a word in its place that no page has.
    """

    def __init__(self, page_text: str, plain: bool) -> None:
        self._plain = plain
        self._blocks: list[str] = []
        salt = 0
        while f"qzkept{salt}x" in page_text:
            salt += 1
        self._word = f"qzkept{salt}x"
        self._place = re.compile(rf"^( *){self._word}(\d+)z$", re.MULTILINE)
        self._leftover = re.compile(rf"\s*{self._word}\w*")
        self._pattern = re.compile(rf"{self._word}(\d+)z(?:\s+{self._word}f)*")

    def take_from(self, root: Any) -> None:
        taken: set[Any] = set()
        for element in list(root.iter("pre", "table")):
            if not taken.isdisjoint(element.iterancestors("pre", "table")):
                continue
            block = self._block(element)
            parent = element.getparent()
            if block is None or parent is None:
                continue
            place = lxml.html.Element("p")
            place.text = f"{self._word}{len(self._blocks)}z" + self._filler(block)
            place.tail = element.tail
            parent.replace(element, place)
            self._blocks.append(block)
            taken.add(element)

    def _filler(self, block: str) -> str:
        """As much text as the block has, within reason: extractors go by the length of it."""
        filler = f" {self._word}f"
        return filler * (min(len(block), MAX_FILLER_CHARS) // len(filler))

    def _block(self, element: Any) -> str | None:
        """What to put back, None for what has no text and for tables that lay out a page."""
        if next((text for text in element.itertext() if text.strip()), None) is None:
            return None
        if element.tag == "pre":
            return fenced(element, self._plain)
        grid = grid_of(element)
        return None if grid is None else write_grid(grid, self._plain)

    def set_apart(self, text: str) -> str:
        """Give each word a line of its own, indented as its list item is."""
        lines: list[str] = []
        for line in text.split("\n"):
            if self._word not in line:
                lines.append(line)
                continue
            mark = _LIST_MARK.match(line)
            indent = " " * (len(mark[0]) if mark else len(line) - len(line.lstrip()))
            for at, part in enumerate(self._pattern.split(line)):
                if at % 2:
                    lines += ["", f"{indent}{self._word}{part}z", ""]
                elif part.strip(" |"):  # else what is left of a table around the block
                    lines.append(part.rstrip())
        return "\n".join(lines)

    def put_back(self, text: str) -> str:
        """The blocks where their words stand."""

        def block(match: re.Match[str]) -> str:
            rows = self._blocks[int(match[2])].split("\n")
            return "\n".join(f"{match[1]}{row}" if row else "" for row in rows)

        text = self._place.sub(block, text)
        return self._leftover.sub("", text)
