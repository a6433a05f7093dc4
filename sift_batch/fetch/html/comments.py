"""What readers wrote below a text, where the page names it in its own way.

The extractor drops what has a name that begins with "comment"; it does not know
``visitors_comment_block`` or ``comentarios``.
"""

from __future__ import annotations

import re
from typing import Any

from .tree import body_of, drop

MIN_TEXT_CHARS = 500
"""Where less is left in paragraphs, the comments may be what the page is about."""
_BOXES = ("div", "section", "ol", "ul")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_COMMENTS = frozenset((
    "comment", "comments", "commentaire", "commentaires", "commenti", "comentario", "comentarios",
    "kommentar", "kommentare", "kommentarer", "komentarze",
))  # fmt: skip
# Said of a whole article that has comments, or may have some.
_STATES = frozenset(("closed", "disabled", "enabled", "has", "no", "off", "on", "open", "with"))


def drop_comments(root: Any) -> None:
    """Remove the boxes of readers' comments, unless hardly any text is outside of them."""
    boxes = [box for box in root.iter(*_BOXES) if _holds_comments(box)]
    if boxes and _text_outside(root, set(boxes)) >= MIN_TEXT_CHARS:
        drop(root, boxes)


def _holds_comments(box: Any) -> bool:
    name = f"{box.get('class') or ''} {box.get('id') or ''}"
    if "omment" not in name and "omentar" not in name:
        return False
    words = {word.lower() for word in _WORD.findall(name)}
    return (
        not words.isdisjoint(_COMMENTS)
        and words.isdisjoint(_STATES)
        and next(box.iter("h1"), None) is None
    )


def _text_outside(root: Any, boxes: set[Any]) -> int:
    return sum(
        len(paragraph.text_content())
        for paragraph in body_of(root).iter("p")
        if boxes.isdisjoint(paragraph.iterancestors())
    )
