"""What is left around a text that was found, though it is not of the text.

Judged after the search, so nothing else is found because of it.
"""

from __future__ import annotations

import re
from typing import Any

MIN_TITLE_CHARS = 15
"""A shorter heading may well be said again."""
FIRST_BLOCKS = 10
"""How far down a title is looked for again."""
MAX_RIGHTS_CHARS = 200
LAST_BLOCKS = 3
"""How far from the end a line about rights is looked for."""
_RIGHTS = re.compile(r"\W{0,3}(?:[©ⓒ]|\(c\)\s|copyright\b)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def drop_repeated_title(body: Any) -> None:
    """Keep the first of the headings and lines that say what the first heading says."""
    title = next(body.iterchildren("head"), None)
    if title is None or len(said := _squeezed(title)) < MIN_TITLE_CHARS:
        return
    for element in body[:FIRST_BLOCKS]:
        again = element is not title and element.tag in ("head", "p")
        if again and _squeezed(element) == said and not element.tail:
            body.remove(element)


def drop_rights(body: Any) -> None:
    """Remove the line at the end that says who may print the text."""
    for element in body[-LAST_BLOCKS:]:
        text = "".join(element.itertext()).strip()
        alone = element.tag == "p" and not element.tail
        if alone and len(text) <= MAX_RIGHTS_CHARS and _RIGHTS.match(text):
            body.remove(element)


def _squeezed(element: Any) -> str:
    return _SPACE.sub("", "".join(element.itertext()))
