"""What is no text, or not written as text, on a page: dropped or written out for every mode."""

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
_FORMULAS = etree.XPath("//math[not(ancestor::math)]")
_EMOJI = etree.XPath(
    "//img[contains(@class, 'emoji')][@alt]"
    "[contains(concat(' ', normalize-space(@class), ' '), ' emoji ')]"
)


def drop_controls(root: Any) -> None:
    """Remove anchors of headings and the edit links of wikis; the image of an emoji becomes text,
    and a formula its TeX where the page has it, which is ``alttext`` then."""
    doomed = [a for a in _TO_A_HEADING(root) if _ANCHOR_SIGNS.issuperset(a.text_content())]
    drop(root, doomed + _EDIT_LINKS(root))
    for formula in _FORMULAS(root):
        tex = next((note.text for note in formula.iter("annotation") if _is_tex(note)), None)
        words = " ".join((tex or formula.text_content()).split())
        formula[:] = []
        formula.text = words
        formula.set("alttext", words if tex else "")
    for image in _EMOJI(root):
        image.tag, image.text = "span", image.get("alt")


def _is_tex(note: Any) -> bool:
    return "tex" in (note.get("encoding") or "").lower()
