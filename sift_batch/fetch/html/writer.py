"""The whole visible body as Markdown, or as plain text.

It walks the tree without recursion, so depth costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from .code import fenced
from .escape import escape_inline, escape_start
from .numbers import NUMBER
from .powers import VERBATIM

_BLOCK_TAGS = """
address article aside blockquote body caption center dd details dialog div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol
option p pre section summary table tbody td tfoot th thead tr ul
"""
BLOCKS = frozenset(_BLOCK_TAGS.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`",
         "del": "~~", "s": "~~", "sup": "<sup>", "sub": "<sub>", "a": ""}  # fmt: skip
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_SPACE = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_SPACE_RUN = re.compile(r" {2,}")
_AROUND_BREAK = re.compile(r" *\n *")


@dataclass
class _Prefix:
    """What stands before the lines of a list item or a quotation."""

    first: str
    rest: str
    item: bool = False
    fresh: bool = True

    def take(self) -> str:
        now = self.first if self.fresh else self.rest
        self.fresh = False
        return now


@dataclass
class _Mark:
    """An open link or emphasis, and where its text begins in the current line."""

    tag: str
    at: int
    href: str = ""


class Writer:
    """Collects blocks. ``plain`` leaves out marks and link targets; ``cell`` the marks of
    lists, which a table's cell cannot hold."""

    def __init__(self, plain: bool = False, *, cell: bool = False) -> None:
        self.plain = plain
        self.cell = cell
        self.blocks: list[tuple[str, int]] = []
        """Text, and of which list it begins an item: 0 for none, nested lists as their outer."""
        self._line: list[str] = []
        self._marks: list[_Mark] = []
        self._prefixes: list[_Prefix] = []
        self._list_depth = 0
        self._lists_seen = 0
        self._heading = 0

    def write(self, root: Any) -> None:
        """Add everything below ``root``."""
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._start(element):
                    walker.skip_subtree()
                elif element.text:
                    self.text(element.text)
            else:
                self._end(element)
                if element.tail and element is not root:
                    self.text(element.tail)
        self.flush()

    def joined(self) -> str:
        """The blocks with blank lines between them; list items follow each other closely."""
        parts: list[str] = []
        before = 0
        for text, item in self.blocks:
            if parts:
                parts.append("\n" if item and item == before else "\n\n")
            parts.append(text)
            before = item
        return "".join(parts)

    def text(self, text: str) -> None:
        text = _SPACE.sub(" ", text)
        if not self.plain and not any(mark.tag in VERBATIM for mark in self._marks):
            text = escape_inline(text)
        self._line.append(text)

    def flush(self) -> None:
        """End the current line."""
        if not self._line:
            return
        for mark in reversed(self._marks):
            self._close(mark)
        text = _SPACE_RUN.sub(" ", "".join(self._line))
        text = _AROUND_BREAK.sub("\n", text).strip()
        self._line = []
        for mark in self._marks:
            mark.at = 0  # a link around several blocks becomes a link in each
        if not text:
            return
        if self._heading:
            text = text.replace("\n", " ")
            text = text if self.plain else f"{'#' * self._heading} {text}"
        elif not self.plain and not self.cell:
            text = "\n".join(map(escape_start, text.split("\n")))
        self.block(text)

    def block(self, text: str) -> None:
        """Add a finished block behind the marks of its list item or quotation."""
        begins = any(prefix.item and prefix.fresh for prefix in self._prefixes)
        item = self._lists_seen if begins else 0
        lines = []
        for line in text.split("\n"):
            before = "".join(prefix.take() for prefix in self._prefixes)
            lines.append((before + line).rstrip())
        self.blocks.append(("\n".join(lines), item))

    def _start(self, element: Any) -> bool:
        """Whether what is below the element is done with."""
        tag = element.tag
        if tag in BLOCKS:
            self.flush()
        if tag == "pre":
            self.block(fenced(element, self.plain))
            return True
        if tag == "table":
            from .tables import grid_of, write_grid  # tables write their cells with this writer

            grid = grid_of(element)
            if grid is not None:
                self.block(write_grid(grid, self.plain))
                return True
        if tag == "math" and element.get("alttext") and not self.plain:
            # Not escaped, for TeX has uses of its own for Markdown's signs.
            self._line.append(f"${element.text}$")
            return True
        if tag == "br":
            self._line.append("\n")
        elif tag == "img":
            self._image(element)
        elif tag == "hr":
            if not self.plain:
                self.block("---")
        elif tag in HEADINGS:
            self._heading = HEADINGS[tag]
        elif tag == "blockquote":
            mark = "" if self.plain else "> "
            self._prefixes.append(_Prefix(mark, mark))
        elif tag in ("ul", "ol", "menu"):
            self._lists_seen += not self._list_depth
            self._list_depth += 1
        elif tag == "li":
            marker = self._marker(element)
            self._prefixes.append(_Prefix(marker, " " * len(marker), item=True))
        elif tag in MARKS:
            self._marks.append(_Mark(tag, len(self._line), element.get("href") or ""))
        return False

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in BLOCKS:
            self.flush()
        if tag in HEADINGS:
            self._heading = 0
        elif tag in ("blockquote", "li"):
            self._prefixes.pop()
        elif tag in ("ul", "ol", "menu"):
            self._list_depth -= 1
        elif tag in MARKS:
            self._close(self._marks.pop())

    def _marker(self, item: Any) -> str:
        if self.cell:
            return ""
        number = item.get(NUMBER)
        return f"{number}. " if number else "- "

    def _image(self, element: Any) -> None:
        alt = _SPACE.sub(" ", element.get("alt") or "").strip()
        if not alt:
            return
        if not self.plain:
            alt = escape_inline(alt)
        source = element.get("src") or ""
        in_link = any(mark.href for mark in self._marks)
        if self.plain or in_link or not source.startswith("http"):
            self._line.append(alt)
        else:
            self._line.append(f"![{alt}]({source})")

    def _close(self, mark: _Mark) -> None:
        """Put the marks around the text since the element began."""
        inner = "".join(self._line[mark.at :])
        text = inner.strip()
        if self.plain or not text or (mark.tag == "a" and not mark.href):
            return
        if mark.tag == "a":
            shown = _BRACKET.sub(r"\\\g<0>", text.replace("\n", " "))
            marked = f"[{shown if not text.startswith('![') else text}]({mark.href})"
        elif "\n" in text or (mark.tag in VERBATIM and "`" in text):
            return
        else:
            sign = MARKS[mark.tag]
            if text.startswith(sign):
                return
            marked = f"{sign}{text}{sign.replace('<', '</')}"
        before = " " if inner[:1].isspace() else ""
        after = " " if inner[-1:].isspace() else ""
        self._line[mark.at :] = [f"{before}{marked}{after}"]


def written(root: Any, *, plain: bool = False) -> str:
    """Everything below ``root``, by a writer of its own."""
    writer = Writer(plain)
    writer.write(root)
    return writer.joined()
