"""Code, simple tables, line breaks and the numbers of lists around an extractor that would flatten
them, and words that it takes for buttons."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import lxml.html

from .code import fenced
from .escape import escape_start
from .numbers import NUMBER
from .tables import grid_of, write_grid
from .writer import HEADINGS

MAX_FILLER_CHARS = 1000
MAX_BREAKS = 5000
MAX_VERSE_CHARS = 160
"""What is longer after a break is a paragraph."""
_BUTTON = re.compile(
    r"\W*(?:Drucken|E-?Mail|Facebook|Flipboard|Google|Instagram|Linkedin|Mail|PDF|Pinterest|Pocket"
    r"|Print|QQ|Reddit|Twitter|WeChat|WeiBo|Whatsapp|Xing)\s*\Z",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d+\.) ")


class Kept:
    """Blocks that are taken out of a tree and put back into its text.

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
        self._break = re.compile(rf"\s*{self._word}b\s*")
        self._number = re.compile(rf"(?:\d+\.|-) {self._word}n(\d+)z ?")
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
            place = self.place(block)
            place.text += self._filler(block)
            place.tail = element.tail
            parent.replace(element, place)
            taken.add(element)
        self._take_breaks(root)
        self._keep_words(root)

    def place(self, block: str) -> Any:
        """A paragraph that stands for a block of finished text."""
        place = lxml.html.Element("p")
        place.text = f"{self._word}{len(self._blocks)}z"
        self._blocks.append(block)
        return place

    def _take_breaks(self, root: Any) -> None:
        """Lines of a verse or an address stay one paragraph; two breaks do begin another."""
        breaks = list(islice(root.iter("br"), MAX_BREAKS + 1))
        for br in breaks if len(breaks) <= MAX_BREAKS else ():
            around = next(br.iterancestors("p", "li", "td", "th"), None)
            if around is None or around.tag != "p" or not _stands_alone(br):
                continue
            br.tag, br.text = "span", f" {self._word}b "

    def _keep_words(self, root: Any) -> None:
        """The extractor drops a text that is the name of a network or "Print" alone, for bars of
        buttons are so; but those have links, or attributes by which they are found."""
        for element in root.iter("li", "p", "dt", "dd", *HEADINGS):
            bare = element.tag in HEADINGS or not set(element.attrib) - {NUMBER}
            if bare and len(element) == 0 and _BUTTON.match(element.text or ""):
                element.text += f" {self._word}f"

    def mark_numbers(self, body: Any) -> None:
        """In what the extractor found, mark the items that its writer would number otherwise."""
        for found in body.iter("list"):
            for place, item in enumerate(found.iterchildren("item"), 1):
                number = item.get(NUMBER) or ""
                if number.isdecimal() and (self._plain or number != str(place)):
                    text = item.text or ""
                    text = text if self._plain else escape_start(text)
                    item.text = f"{self._word}n{number}z {text}"

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
        if self._word not in text:
            return text
        if f"{self._word}b" in text:
            text = self._break.sub("\n", text)
        if f"{self._word}n" in text:
            text = self._number.sub(r"\1. ", text)
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
        if self._word not in text:
            return text

        def block(match: re.Match[str]) -> str:
            rows = self._blocks[int(match[2])].split("\n")
            return "\n".join(f"{match[1]}{row}" if row else "" for row in rows)

        text = self._place.sub(block, text)
        return self._leftover.sub("", text) if self._word in text else text


def _stands_alone(br: Any) -> bool:
    """Whether a short line begins here, and no other break stands beside this one."""
    before, after = br.getprevious(), br.getnext()
    if len(br.tail or "") > MAX_VERSE_CHARS:
        return False
    if not (br.tail or "").strip() and (after is None or after.tag == "br"):
        return False
    return not (before is not None and before.tag == "br" and not (before.tail or "").strip())
