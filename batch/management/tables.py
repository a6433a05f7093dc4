"""Plain text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

CELL_CHARS = 72


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide on a terminal as their widest cell; long cells are cut."""
    # What pages and callers wrote must not move a terminal's cursor.
    cells = [[_printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(cell_len(row[column]) for row in cells) for column in range(len(head))]
    lines = (map(set_cell_size, row, widths) for row in cells)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def printable_lines(text: str) -> str:
    """``text`` with its lines, and without anything else that acts on a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def _printable(text: str) -> str:
    line = "".join(c if c.isprintable() else " " for c in text)
    if cell_len(line) <= CELL_CHARS:
        return line
    return set_cell_size(line, CELL_CHARS - 1).rstrip() + "…"
