"""The numbers of ordered lists, which a page may choose: ``start``, ``reversed`` and ``value``.

As Markdown, both writers count from one by themselves, so a list that does it too is left alone.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_ALL = etree.XPath("//ol")
_CHOSEN = etree.XPath("//ol[@start or @reversed or li/@value]")
_WHOLE = re.compile(r"\s*\+?([0-9]{1,9})(?![0-9])")  # longer ones are nobody's


def choose_numbers(root: Any, *, plain: bool) -> None:
    """Give each item of such a list its number as ``value``, in ``plain`` text (where the extractor
    counts nothing) each item of all ordered ones, by the rules of the HTML standard
    (https://html.spec.whatwg.org/multipage/grouping-content.html#ordinal-value)."""
    for found in (_ALL if plain else _CHOSEN)(root):
        items = list(found.iterchildren("li"))
        step = 1 if found.get("reversed") is None else -1
        number = _whole(found.get("start"), 1 if step > 0 else len(items))
        numbers = []
        for item in items:
            numbers.append(_whole(item.get("value"), number))
            number = numbers[-1] + step
        if min(numbers, default=0) < 0:  # which Markdown does not have
            numbers = list(range(1, len(items) + 1))
        for item, number in zip(items, numbers, strict=True):
            item.set("value", str(number))


def chosen_number(item: Any) -> int | None:
    """The number that :func:`choose_numbers` gave to an item."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol":
        return None
    number = _whole(item.get("value"), -1)
    return None if number < 0 else number


def _whole(text: str | None, default: int) -> int:
    found = _WHOLE.match(text or "")
    return int(found[1]) if found else default
