"""Emoji, formulas and the marks of quotations, which pages do not write as text: written out for
every mode."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_EMOJI = etree.XPath(
    "//img[contains(@class, 'emoji')][@alt]"
    "[contains(concat(' ', normalize-space(@class), ' '), ' emoji ')]"
)
_FORMULAS = etree.XPath("//math[not(ancestor::math)]")
_QUOTATION_MARKS = tuple(
    "\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\u300c\u300e"
)
_LIKE_A_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def write_symbols(root: Any) -> None:
    """Put text in the place of an emoji's image, and in a formula its TeX alone where the page has
    it: that is its ``alttext`` then. A formula without TeX has the words that it shows."""
    for image in _EMOJI(root):
        image.tag, image.text = "span", image.get("alt")
    for formula in _FORMULAS(root):
        tex = next((note.text for note in formula.iter("annotation") if _is_tex(note)), None)
        words = " ".join((tex or formula.text_content()).split())
        formula[:] = []
        # TeX is not escaped where it is written, and a space is nothing to it.
        formula.text = _LIKE_A_TAG.sub("< ", words) if tex else words
        formula.set("alttext", formula.text if tex else "")


def write_quotation_marks(root: Any) -> None:
    """Put marks around each ``<q>``, single ones within others, where the page has not."""
    quotations = list(root.iter("q"))
    for quotation in quotations:
        if (quotation.text or "").lstrip()[:1] in _QUOTATION_MARKS:
            continue
        depth = sum(1 for _ in quotation.iterancestors("q"))
        opening, closing = "\u2018\u2019" if depth % 2 else "\u201c\u201d"
        quotation.text = opening + (quotation.text or "")
        if len(quotation):
            quotation[-1].tail = (quotation[-1].tail or "") + closing
        else:
            quotation.text += closing
    for quotation in quotations:
        quotation.tag = "span"  # an extractor would part the text there


def _is_tex(note: Any) -> bool:
    return "tex" in (note.get("encoding") or "").lower()
