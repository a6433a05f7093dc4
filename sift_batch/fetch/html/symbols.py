"""Emoji and formulas, which pages do not write as text: written out for every mode."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

_EMOJI = etree.XPath(
    "//img[contains(@class, 'emoji')][@alt]"
    "[contains(concat(' ', normalize-space(@class), ' '), ' emoji ')]"
)
_FORMULAS = etree.XPath("//math[not(ancestor::math)]")
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


def _is_tex(note: Any) -> bool:
    return "tex" in (note.get("encoding") or "").lower()
