"""Powers, which would be other numbers without a mark: ``10<sup>6</sup>`` is not 106."""

from __future__ import annotations

import re
from typing import Any

VERBATIM = ("code", "kbd", "samp")
# With minus signs and dashes. Ordinals such as 19th and 1e have letters alone, as have trade marks.
_POWER = re.compile(r"(?=.*[0-9])[\w.,+*/()^\u2212\u2013-]+\Z|[i-nx-z]\Z")
_ONE_FACTOR = re.compile(r"[+\u2212\u2013-]?\w+\Z")
_NOTE = re.compile(r"ref|note|cite", re.IGNORECASE)


def write_powers(root: Any, *, plain: bool) -> None:
    """Write the powers of code, in ``plain`` text all of them, as ``10^6``. Notes are left alone,
    which have links or brackets."""
    for element in reversed(list(root.iter("sup", "sub"))):  # those inside others first
        in_code = next(element.iterancestors("pre", *VERBATIM), None) is not None
        if element.tag == "sup" and (plain or in_code):
            power = "".join(element.text_content().split())
            if _POWER.match(power) and _follows_a_base(element) and not _is_note(element):
                element[:] = []
                element.text = f"^{power}" if _ONE_FACTOR.match(power) else f"^({power})"
        if plain or in_code:
            element.tag = "span"  # else the extractor parts the text there


def _follows_a_base(sup: Any) -> bool:
    before = sup.getprevious()
    text = sup.getparent().text if before is None else before.tail or before.text_content()
    last = (text or "")[-1:]
    return last.isalnum() or last in (")", "]")


def _is_note(sup: Any) -> bool:
    return next(sup.iter("a"), None) is not None or bool(_NOTE.search(sup.get("class") or ""))
