"""Lists in lists, indented so that Markdown takes them for such."""

from __future__ import annotations

import re

_ITEM = re.compile(r"( *)((?:[-*+]|\d+\.) +)")


def nest(text: str) -> str:
    """Give what is inside a list item the width of its mark as indentation.

    The extractor indents by two for each level, which under ``1.`` is one too few.
    """
    open_items: list[tuple[int, int]] = []  # how far each is indented, and where its text begins
    lines = []
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        item = _ITEM.match(line)
        if item:
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
        elif bare and not indent:
            open_items.clear()
        begin = open_items[-1][1] if open_items else indent
        if item:
            open_items.append((indent, begin + len(item[2].rstrip(" ")) + 1))
        lines.append(" " * begin + bare if bare and (item or indent) else line)
    return "\n".join(lines)
