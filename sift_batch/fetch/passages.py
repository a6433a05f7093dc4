"""A text cut into passages: by heading, then paragraph, whole tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .limits import BLOCK_CHARS, PASSAGE_CHARS

_HEADING = re.compile(r"(#{1,6}) +(.+?)(?: +#+)?\Z")
_PAGE = re.compile(r"<!-- page (\d+) -->\Z")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_SENTENCE_END = re.compile(r"(?:[.!?…](?=\s)|[\u3002\uff01\uff1f])\s*|\n")
_MAX_HEADING_CHARS = 200
WRAPPED_CHARS = 120
"""No text is wrapped by hand at longer lines, so that one is a paragraph of its own."""


@dataclass(frozen=True)
class Passage:
    """``text[start:end]``; ``heading`` is the path of headings above it, ``page`` a PDF's."""

    start: int
    end: int
    heading: str
    page: int | None

    def shown(self, text: str) -> str:
        """The words of the text, led by the heading path."""
        body = text[self.start : self.end]
        return f"{self.heading}\n{body}" if self.heading else body

    def searchable(self, text: str) -> str:
        return self.shown(text)


@dataclass(frozen=True)
class _Block:
    start: int
    end: int
    heading: str
    page: int | None
    whole: bool
    """A table or code, which is not cut at a paragraph's length."""


def split(text: str) -> list[Passage]:
    """The passages of ``text``, in order and not overlapping."""
    passages: list[Passage] = []
    for block in _blocks(text):
        last = passages[-1] if passages else None
        if last is not None and _leads_to(text, last, block):
            passages[-1] = Passage(last.start, block.end, last.heading, last.page)
            continue
        limit = BLOCK_CHARS if block.whole else PASSAGE_CHARS
        passages += [
            Passage(start, end, block.heading, block.page)
            for start, end in _cut(text, block.start, block.end, limit)
        ]
    return passages


def _blocks(text: str) -> Iterator[_Block]:
    """Paragraphs, tables and fenced code. Headings and page markers are none."""
    path: list[tuple[int, str]] = []
    page: int | None = None
    start: int | None = None
    end = 0
    fence = ""
    table = was_long = False

    def block() -> _Block:
        heading = " > ".join(title for _, title in path)[:_MAX_HEADING_CHARS]
        return _Block(start or 0, end, heading, page, bool(fence) or table)

    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        after = at + len(line.rstrip())
        if fence:
            end = after if bare else end  # a fence may never be closed
            if bare.startswith(fence) and not bare.strip(fence[0]):
                yield block()
                start, fence = None, ""
            at += len(line)
            continue
        heading, marker, opens = _HEADING.match(bare), _PAGE.match(bare), _FENCE.match(line)
        is_row = bare.startswith("|")
        is_long = len(bare) > WRAPPED_CHARS and not is_row
        apart = not bare or heading or marker or opens or is_row != table or is_long or was_long
        if start is not None and apart:
            yield block()
            start = None
        was_long = is_long
        if heading:
            level = len(heading[1])
            path = [*(step for step in path if step[0] < level), (level, heading[2])]
        elif marker:
            page, path = int(marker[1]), []
        elif bare:
            if start is None:
                start = at + len(line) - len(line.lstrip())
                table, fence = is_row, opens[1] if opens else ""
            end = after
        at += len(line)
    if start is not None:
        yield block()


def _leads_to(text: str, last: Passage, block: _Block) -> bool:
    """Whether a passage such as "The fees are:" says nothing without what follows it."""
    return (
        last.heading == block.heading
        and last.page == block.page
        and text.endswith((":", "\uff1a"), last.start, last.end)
        and block.end - last.start <= (BLOCK_CHARS if block.whole else PASSAGE_CHARS)
    )


def _cut(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Pieces of at most ``limit`` characters, at the ends of sentences where there are any."""
    while end - start > limit:
        best = start + limit
        for match in _SENTENCE_END.finditer(text, start + limit // 2, start + limit):
            best = match.end()
        yield start, start + len(text[start:best].rstrip())
        while best < end and text[best].isspace():
            best += 1
        start = best
    if start < end:
        yield start, end
