"""The geometry of small charts, as attributes of SVG elements.

Numbers are written here: a template would write them the way the visitor's language does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NARROWEST = 2.0  # per cent of a bar: one failure among 100,000 targets has to be seen


@dataclass(frozen=True)
class Bar:
    """A row of a chart of bars: what it is about, its number in words, its length in per cent.
    ``word`` is a class for its colour, a status or nothing."""

    label: str
    told: str
    width: str
    word: str = ""


@dataclass(frozen=True)
class Column:
    x: str
    y: str
    height: str


def bars(rows: Sequence[tuple[str, float, str, str]], whole: float | None = None) -> list[Bar]:
    """Rows of label, value, its words and class. The longest is ``whole``, else the largest."""
    most = max([value for _, value, _, _ in rows], default=0) if whole is None else whole
    return [
        Bar(label, told, f"{_share(value, most):.2f}", word) for label, value, told, word in rows
    ]


def _share(value: float, most: float) -> float:
    if not value or not most:
        return 0.0
    return min(100.0, max(NARROWEST, 100 * value / most))


def columns(values: Sequence[int]) -> list[Column]:
    """One beside the other in a box of 100 by 100, from the left."""
    most = max(values, default=0)
    step = 100 / max(1, len(values))
    return [
        Column(f"{index * step:.2f}", f"{100 - height:.2f}", f"{height:.2f}")
        for index, height in enumerate(_share(value, most) for value in values)
    ]
