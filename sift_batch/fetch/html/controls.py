"""What stands on a page to be clicked and is no text: dropped for every mode."""

from __future__ import annotations

from typing import Any

from lxml import etree

from .tree import drop

_TO_A_HEADING = etree.XPath("//a[contains(@href, '#')][not(.//img)]")
# A paragraph sign, a chain and the like, or nothing at all: the anchors that generators of
# documentation put beside each heading. A star or a dagger would be the mark of a footnote.
_ANCHOR_SIGNS = frozenset("¶#§🔗⚓∞↩↑⤴^\u200b\ufeff\ufe0e\ufe0f \t\r\n\u00a0")
# The plain test comes first, for it is the cheaper one and most elements end with it.
_EDIT_LINKS = etree.XPath(
    "//span[contains(@class, 'mw-editsection')]"
    "[contains(concat(' ', normalize-space(@class), ' '), ' mw-editsection ')]"
)


def drop_controls(root: Any) -> None:
    """Remove anchors of headings and the edit links of wikis."""
    doomed = [a for a in _TO_A_HEADING(root) if _ANCHOR_SIGNS.issuperset(a.text_content())]
    drop(root, doomed + _EDIT_LINKS(root))
