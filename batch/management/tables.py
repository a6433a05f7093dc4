"""Plain text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

CELL_CHARS = 72


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their longest cell; long cells are cut."""
    # What pages and callers wrote must not move a terminal's cursor.
    cells = [[_printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
    return "\n".join(lines)


def printable_lines(text: str) -> str:
    """``text`` with its lines, and without anything else that acts on a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def _printable(text: str) -> str:
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= CELL_CHARS else line[: CELL_CHARS - 1] + "…"
