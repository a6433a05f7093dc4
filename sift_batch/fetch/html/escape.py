"""Text that would be read as Markdown, or as HTML inside it, made to stand for itself.

Only where it would be read so: ``snake_case`` and ``2 * 3`` stay as they are
(https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis).
"""

from __future__ import annotations

import re

_INLINE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])"  # a backslash that would itself escape something
    r"|`"
    r"|<(?=[A-Za-z/!?])"  # a tag, a comment, an address in brackets
    r"|\*(?=\S)|(?<=\S)\*"
    r"|(?<![^\W_])_(?=\S)|(?<=\S)_(?![^\W_])"
    r"|~~"
    r"|\](?=[(\[:])"
)
_START = re.compile(r"(?:#{1,6}|[-+*]|\d{1,9}(?=[.)]))(?=[.)]?(?:\s|\Z))|>|={2,}\s*\Z|-{2,}\s*\Z")


def escape_inline(text: str) -> str:
    """``text`` as the inside of a line."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_start(line: str) -> str:
    """A line of a paragraph that must not begin a heading, a list or a quotation."""
    match = _START.match(line)
    if match is None:
        return line
    at = match.end() if match[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"
