"""Tables: those that are grids of short cells, as Markdown."""

from __future__ import annotations

import re
import sys
from typing import Any

from .escape import escape_inline
from .writer import BLOCKS, Writer

MAX_COLUMNS = 40
MAX_CELL_CHARS = 1000
MAX_DATUM_CHARS = 150
"""A paragraph in a cell is data up to this; beyond it the table may lay out a page."""
_SPACE = re.compile(r"\s+")
_LAYOUT = ("table", "h1", "h2", "h3", "form", "pre", "article", "section")

Grid = list[list[Any]]


def grid_of(table: Any) -> Grid | None:
    """The cells of a table, row by row with None for what a wider cell covers.

    None for a table that lays out a page rather than listing data.
    """
    if table.get("role") in ("presentation", "none"):
        return None
    if any(next(table.iterdescendants(tag), None) is not None for tag in _LAYOUT):
        return None
    grid: Grid = []
    covered: dict[int, int] = {}
    group = None
    for row in table.iterdescendants("tr"):
        if row.getparent() is not group:
            group, covered = row.getparent(), {}  # no cell goes beyond its group
        cells: list[Any] = []
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            if len(cell) and len(cell.text_content()) > MAX_CELL_CHARS:
                return None
            _skip(cells, covered)
            width = height = 1
            if cell.attrib:
                width = _span(cell, "colspan") or 1
                height = _span(cell, "rowspan") or sys.maxsize  # all that are left
            for at in range(len(cells), len(cells) + width):
                if height > 1:
                    covered[at] = height
            cells += [cell, *[None] * (width - 1)]
        _skip(cells, covered)
        covered = {at: left - 1 for at, left in covered.items() if left > 1}
        if cells:
            grid.append(cells)
    columns = max(map(len, grid), default=0)
    if len(grid) < 2 or not 2 <= columns <= MAX_COLUMNS:
        return None
    return grid


def free_captions(root: Any) -> None:
    """Make the caption of a table a paragraph before it."""
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table":
            blocks = next(caption.iterdescendants(*BLOCKS), None) is not None
            before = caption.makeelement("div" if blocks else "p")
            before.text, caption.text = caption.text, None
            before.extend(list(caption))
            table.addprevious(before)


def lays_out(table: Any) -> bool:
    """Whether a table stands for the columns and boxes of a page and not for data."""
    if table.get("role") in ("presentation", "none"):
        return True
    if grid_of(table) is not None:
        return False
    if next(table.iterdescendants(*_LAYOUT), None) is not None:
        return True
    boxes = table.iterdescendants("p", "ul", "ol", "dl", "blockquote")
    return any(len(box.text_content()) > MAX_DATUM_CHARS for box in boxes)


def write_grid(grid: Grid, plain: bool) -> str:
    """A Markdown table; plain: cells with tabs between them."""
    columns = max(map(len, grid))
    rows = [[_cell(cell, plain) for cell in row] + [""] * (columns - len(row)) for row in grid]
    if plain:
        return "\n".join("\t".join(row).rstrip() for row in rows)
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * columns)
    return "\n".join(lines)


def _cell(cell: Any, plain: bool) -> str:
    if cell is None:
        return ""
    if len(cell) == 0:  # most cells, and much faster
        text = _SPACE.sub(" ", cell.text or "").strip()
        return text if plain else escape_inline(text).replace("|", "\\|")
    writer = Writer(plain, cell=True)
    writer.write(cell)
    if plain:
        return _SPACE.sub(" ", " ".join(text for text, _ in writer.blocks))
    parts: list[str] = []
    before = 0
    for text, item in writer.blocks:
        if parts:
            parts.append("; " if item and item == before else "<br>")
        parts.append(text.replace("\n", "<br>").replace("|", "\\|"))
        before = item
    return "".join(parts)


def _skip(cells: list[Any], covered: dict[int, int]) -> None:
    while len(cells) in covered:
        cells.append(None)


def _span(cell: Any, name: str) -> int:
    text = cell.get(name) or "1"
    return min(int(text[:4]), MAX_COLUMNS) if text.isdecimal() else 1
