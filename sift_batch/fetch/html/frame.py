"""A second look at pages that do not say where their article is.

On them the extractor collects paragraphs from all over the page, and loses the headings and
lists that stand between them. The part of the page that holds most of the paragraphs is where
the article is; with that part framed as one, the extractor looks again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import lxml.html

from .tree import has_more_elements

MAX_ELEMENTS = 5000
"""Larger pages are not looked at twice."""
MAX_GAIN = 2.5
"""A second look that finds more than this many times as much has seen something else."""
MAX_GROWTH = 2.5
"""Headings and lists that weigh more than the text between them do not belong to it."""
MAX_LINE_CHARS = 60
"""A line that the extractor left out, such as a date or "read more", is no matter up to this."""
MAIN_SHARE = 0.6
"""Of all that was found, in the part where the article is."""
_SAID = (["article"], ["main"], ["main", "article"])
_SPACE = re.compile(r"\s+")
_HOLDERS = ("p", "td", "th", "li", "dd", "dt", "blockquote", "div", "h1", "h2", "h3", "h4")
_BLOCKS_INSIDE = ("p", "div", "ul", "ol", "dl", "table", "section", "article")
_LOST = ("h1", "h2", "h3", "h4", "li", "dt")
_AROUND = ("nav", "header", "footer", "aside")


def with_what_stands_between(root: Any, found: Any, look_again: Callable[[], Any]) -> Any:
    """What was found, and the headings and lists in the midst of it. Changes the tree."""
    if next(found.iter("head", "list", "item"), None) is not None:
        return found
    if [element.tag for element in root.iter("article", "main")] in _SAID:
        return found  # the page says where its article is
    if has_more_elements(root, MAX_ELEMENTS):
        return found
    texts = [_squeezed("".join(child.itertext())) for child in found]
    holders = _holders(root, {text for text in texts if text})
    if len(holders) < 2:
        return found  # within a single one there is nothing that could be lost
    part = _main_part(holders)
    if part is None or next(part.iter(*_LOST), None) is None:
        return found
    inside = {text for holder, text in holders.items() if _is_in(holder, part)}
    places = [at for at, text in enumerate(texts) if text in inside]
    first, last = places[0], places[-1]
    if any(text and text not in inside for text in texts[first:last]):
        return found
    _frame(root, part)
    again = look_again()
    if again is None or not _is_more(again, texts[first : last + 1]):
        return found
    between = _between(list(again), texts[first], texts[last], set(texts))
    if between and _length(between) <= MAX_GROWTH * _length(found[first : last + 1]):
        found[first : last + 1] = between
    return found


def _length(elements: list[Any]) -> int:
    return sum(len(text) for element in elements for text in element.itertext())


def _between(again: list[Any], first: str, last: str, known: set[str]) -> list[Any]:
    """What was found before, the headings and lists in its midst, and its title; what stands
    around is not added. Nothing where something else stands in the midst: the extractor had
    reasons to leave that, and the headings may be its."""
    texts = [_squeezed("".join(element.itertext())) for element in again]
    firsts = [at for at, text in enumerate(texts) if first in text]
    lasts = [at for at, text in enumerate(texts) if last in text]
    if not firsts or not lasts:
        return []  # the second look divides the text in another way
    begin, end = firsts[0], lasts[-1]
    begin = _with_title(again, begin)
    kept = []
    for element, text in zip(again[begin : end + 1], texts[begin : end + 1], strict=True):
        if text in known or first in text or last in text or _stands_between(element):
            kept.append(element)
        elif len(text) > MAX_LINE_CHARS:
            return []
    return kept


def _with_title(again: list[Any], begin: int) -> int:
    """Where the text begins together with the heading right above it, or with a main heading
    and at most a list of facts between them."""
    for above in range(begin - 1, max(begin - 3, -1), -1):
        element = again[above]
        if element.tag == "head" and (above == begin - 1 or element.get("rend") == "h1"):
            return above
        if not _stands_between(element):
            break
    return begin


def _stands_between(element: Any) -> bool:
    if element.tag == "head":
        return True
    if element.tag != "list":
        return False
    text = len("".join(element.itertext()))
    links = sum(len("".join(link.itertext())) for link in element.iter("ref"))
    return links * 2 < text  # else it leads elsewhere


def _holders(root: Any, texts: set[str]) -> dict[Any, str]:
    """The elements whose whole text is one of these."""
    holders = {}
    for element in root.iter(*_HOLDERS):
        if (
            element.tag == "div"
            and next(element.iterdescendants(*_BLOCKS_INSIDE), None) is not None
        ):
            continue
        text = _squeezed(element.text_content())
        if text in texts:
            holders[element] = text
    return holders


def _main_part(holders: dict[Any, str]) -> Any:
    """The innermost element around all holders, or around most where others lie far off."""
    weights: dict[Any, int] = {}
    counts: dict[Any, int] = {}
    for holder, text in holders.items():
        for element in holder.iterancestors():
            weights[element] = weights.get(element, 0) + len(text)
            counts[element] = counts.get(element, 0) + 1
    part = max(
        weights, key=lambda element: (counts[element], sum(1 for _ in element.iterancestors()))
    )
    while True:
        inner = max(part, key=lambda child: weights.get(child, 0))
        others = counts[part] - counts.get(inner, 0)
        if others < 2 or weights.get(inner, 0) < MAIN_SHARE * weights[part]:
            break
        part = inner
    if part.tag == "html":
        return None
    if part.tag == "body" and next(part.iter(*_AROUND), None) is not None:
        return None  # then something from around the article was found as well
    return part


def _frame(root: Any, part: Any) -> None:
    for article in list(root.iter("article")):
        article.tag = "div"  # the extractor takes the first
    frame = lxml.html.Element("article")
    if part.tag == "body":
        frame.text, part.text = part.text, None
        frame.extend(list(part))
        part.append(frame)
    else:
        frame.tail, part.tail = part.tail, None
        part.getparent().replace(part, frame)
        frame.append(part)


def _is_more(again: Any, texts: list[str]) -> bool:
    """Whether the second look has every text of the first one, and not unreasonably more."""
    whole = _squeezed("".join(again.itertext()))
    return (
        len(again) >= len(texts)  # else all is in one: the extractor's last resort
        and len(whole) <= MAX_GAIN * sum(map(len, texts))
        and all(text in whole for text in texts)
    )


def _is_in(element: Any, part: Any) -> bool:
    return any(ancestor is part for ancestor in element.iterancestors())


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)
