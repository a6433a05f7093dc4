"""The options ``grep`` and ``context``: matching lines with their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .document import Document
from .limits import CONTEXT_LINES, MAX_GREP_MATCHES, MAX_LINE_CHARS
from .meta import Meta

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class _Line:
    prefix: str
    number: int
    text: str
    span: tuple[int, int] | None
    """Where the pattern matched; None for a neighbour."""

    def __str__(self) -> str:
        mark = "-" if self.span is None else ":"
        return f"{self.prefix}{self.number}{mark}{_cut(self.text, self.span)}"


def grep(document: Document, pattern: Any, *, context: bool, meta: Meta) -> Document:
    """The lines that match, as ``12:the line``; in PDFs as ``p3:12:the line``."""
    found: list[str] = []
    matches = 0
    escaped = document.format == "markdown" and meta.get("mode_used") != "raw"
    for prefix, text in _parts(document):
        # Where lines end in CRLF, `$` stands before both characters.
        lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        hits = {}
        for at, line in enumerate(lines):
            span = _match(pattern, line, escaped=escaped)
            if span is None:
                continue
            if matches == MAX_GREP_MATCHES:
                meta.truncate("match_limit")
                break
            matches += 1
            hits[at] = span
        groups = _groups(lines, hits, prefix, CONTEXT_LINES if context else 0)
        for group in groups:
            if context and found:
                found.append("--")
            found += map(str, group)
        if matches == MAX_GREP_MATCHES and meta.get("truncated_reason") == "match_limit":
            break
    meta.set(grep_matches=matches)
    if not matches:
        meta.warn("no_match", "no line matches the pattern")
    return Document("\n".join(found), "text")


def _match(pattern: Any, line: str, *, escaped: bool) -> tuple[int, int] | None:
    """Where a line matches: as it is written or, in Markdown, as it reads, for who looks for
    ``__init__`` need not know that it is written with backslashes."""
    match = pattern.search(line)
    if match is None and escaped and "\\" in line:
        match = pattern.search(_ESCAPE.sub(r"\1", line))
        if match is not None:
            # Before each of these places in what was searched a backslash was taken away.
            places = [found.start() - n for n, found in enumerate(_ESCAPE.finditer(line))]
            first, last = (at + bisect_left(places, at) for at in match.span())
            return first, last
    return None if match is None else match.span()


def _parts(document: Document) -> Iterator[tuple[str, str]]:
    if document.pages is None:
        yield "", document.content
    else:
        for number, text in document.pages:
            yield f"p{number}:", text


def _groups(
    lines: list[str], hits: dict[int, tuple[int, int]], prefix: str, around: int
) -> Iterable[list[_Line]]:
    """Runs of lines that touch."""
    wanted = sorted(
        {
            near
            for at in hits
            for near in range(max(at - around, 0), min(at + around + 1, len(lines)))
        }
    )
    group: list[_Line] = []
    previous = None
    for at in wanted:
        if previous is not None and at != previous + 1 and around:
            yield group
            group = []
        group.append(_Line(prefix, at + 1, lines[at], hits.get(at)))
        previous = at
    if group:
        yield group


def _cut(text: str, span: tuple[int, int] | None) -> str:
    """A long line's part around the match."""
    if len(text) <= MAX_LINE_CHARS:
        return text
    first, last = span or (0, 0)
    start = max(min(first - (MAX_LINE_CHARS - (last - first)) // 2, first), 0)
    start = min(start, len(text) - MAX_LINE_CHARS)
    end = start + MAX_LINE_CHARS
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
