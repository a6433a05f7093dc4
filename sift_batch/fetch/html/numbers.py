"""The numbers of ordered lists, which a page may choose: ``start``, ``reversed`` and ``value``.

Each item is given its own before anything is left out of the page, so that none shifts.
"""

from __future__ import annotations

import re
from typing import Any

NUMBER = "rend"
"""The attribute that holds it: of an item's, the extractor keeps this one alone."""
MAX_NUMBER = 999_999_999
_LISTS = ("ol", "ul", "menu", "dir")
_WHOLE = re.compile(r"\s*\+?([0-9]{1,9})(?![0-9])")  # longer ones are nobody's


def choose_numbers(root: Any) -> None:
    """Give each item of an ordered list its number, by the rules of the HTML standard
    (https://html.spec.whatwg.org/multipage/grouping-content.html#ordinal-value)."""
    ordered: dict[Any, list[Any]] = {}
    for item in root.iter("li"):
        item.attrib.pop(NUMBER, None)  # the page's own means nothing
        around = next(item.iterancestors(*_LISTS), None)
        if around is not None and around.tag == "ol":
            ordered.setdefault(around, []).append(item)
    for found, items in ordered.items():
        step = 1 if found.get("reversed") is None else -1
        number = _whole(found.get("start"), 1 if step > 0 else len(items))
        numbers = []
        for item in items:
            numbers.append(_whole(item.get("value"), number))
            number = numbers[-1] + step
        if min(numbers) < 0 or max(numbers) > MAX_NUMBER:  # which Markdown does not have
            numbers = list(range(1, len(items) + 1))
        for item, number in zip(items, numbers, strict=True):
            item.set(NUMBER, str(number))


def _whole(text: str | None, default: int) -> int:
    found = _WHOLE.match(text or "")
    return int(found[1]) if found else default
