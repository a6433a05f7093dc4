"""The option ``pages``: which physical pages of a PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .errors import BadOption
from .limits import MAX_PAGES_OPTION_CHARS

_ITEM = re.compile(r"([0-9]{1,9})(?:\s*([-\u2013])\s*([0-9]{1,9})?)?")
HINT = "write pages such as 3, 1-5, 8- or 1,4-6; the first page is 1"


@dataclass(frozen=True)
class PageRange:
    """Pages from 1; ``spans`` are (first, last) with last None for an open end."""

    spans: tuple[tuple[int, int | None], ...]

    def within(self, count: int) -> list[int]:
        """Those that a document of ``count`` pages has, ascending, each once."""
        found: set[int] = set()
        for first, last in self.spans:
            found.update(range(first, min(count, last or count) + 1))
        return sorted(found)

    def reaches_past(self, count: int) -> bool:
        """Whether a page was asked for that the document does not have."""
        return any(max(first, last or first) > count for first, last in self.spans)


def parse_pages(text: str) -> PageRange:
    """Raises :class:`BadOption` (``bad_pages``)."""
    if len(text) > MAX_PAGES_OPTION_CHARS:
        raise _bad(f"pages is longer than {MAX_PAGES_OPTION_CHARS} characters")
    return PageRange(tuple(_spans(text)))


def ranges(pages: list[int]) -> str:
    """Page numbers as text: ``1-3,7``."""
    parts: list[str] = []
    start = previous = None
    for page in [*pages, None]:
        if start is not None and (page is None or page != previous + 1):  # type: ignore[operator]
            parts.append(str(start) if start == previous else f"{start}-{previous}")
            start = None
        if start is None:
            start = page
        previous = page
    return ",".join(parts)


def _spans(text: str) -> Iterator[tuple[int, int | None]]:
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None:
            shown = item.strip()[:20]
            raise _bad(f"{shown!r} is not a page or a range" if shown else "an item is empty")
        first = int(match[1])
        last = first if match[2] is None else int(match[3]) if match[3] else None
        if first == 0 or last == 0:
            raise _bad("there is no page 0")
        if last is not None and last < first:
            raise _bad(f"the range {first}-{last} ends before it begins")
        yield first, last


def _bad(message: str) -> BadOption:
    return BadOption("pages", "bad_pages", message, HINT)
