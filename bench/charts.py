"""Charts as SVG: bars and lines that begin at zero, readable on light and on dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#3b82c4", "#d9822b", "#3a9a5b", "#a970c4", "#c0504d")
GREY = "#7d8590"  # has enough contrast on white and on black
WIDTH = 760
LEFT = 230
TOP = 62
ROW = 16
HEIGHT = 320


@dataclass(frozen=True)
class Chart:
    """Numbers of some series, each at the same places. ``alt`` says in words what it shows."""

    name: str  # of its file
    title: str
    unit: str
    alt: str
    places: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    lines: bool = False

    def svg(self) -> str:
        return _lines(self) if self.lines else _bars(self)


def _bars(chart: Chart) -> str:
    """A group of bars for each place, one under the other."""
    top = _round_up(max(_numbers(chart)))
    group = ROW * len(chart.series) + 10
    parts = []
    for at, place in enumerate(chart.places):
        y = TOP + at * group
        parts.append(_text(LEFT - 8, y + group / 2, place, "end"))
        for number, values in enumerate(chart.series.values()):
            value, row = values[at], y + number * ROW
            if value is None:
                continue
            width = (WIDTH - LEFT - 70) * value / top
            parts.append(
                f'<rect x="{LEFT}" y="{row:.0f}" width="{width:.1f}" height="{ROW - 3}"'
                f' fill="{COLOURS[number]}"/>'
            )
            parts.append(_text(LEFT + width + 6, row + ROW - 5, _number(value)))
    return _page(chart, TOP + len(chart.places) * group + 8, parts)


def _lines(chart: Chart) -> str:
    """A line for each series over places that are equally far apart."""
    top = _round_up(max(_numbers(chart)))
    left, right, low, high = 70, WIDTH - 40, HEIGHT - 40, TOP + 10

    def y(value: float) -> float:
        return low - (low - high) * value / top

    xs = [left + (right - left) * at / max(1, len(chart.places) - 1) for at in range(99)]
    parts = []
    for step in range(5):
        value = top * step / 4
        parts.append(
            f'<path d="M{left} {y(value):.1f}H{right}" stroke="{GREY}" stroke-opacity=".35"/>'
        )
        parts.append(_text(left - 8, y(value) + 4, _number(value), "end"))
    parts += [
        _text(x, low + 22, place, "middle") for x, place in zip(xs, chart.places, strict=False)
    ]
    for number, values in enumerate(chart.series.values()):
        dots = [(x, y(value)) for x, value in zip(xs, values, strict=False) if value is not None]
        path = "L".join(f"{x:.1f} {dot:.1f}" for x, dot in dots)
        colour = COLOURS[number]
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{dot:.1f}" r="4" fill="{colour}"/>' for x, dot in dots]
    return _page(chart, HEIGHT, parts)


def _page(chart: Chart, height: float, parts: list[str]) -> str:
    head = [
        f'<text x="14" y="24" font-size="15" font-weight="600">{escape(chart.title)}</text>',
        _text(WIDTH - 14, 24, chart.unit, "end"),
    ]
    x = 14.0
    for number, name in enumerate(chart.series) if len(chart.series) > 1 else ():
        head.append(f'<rect x="{x}" y="36" width="11" height="11" fill="{COLOURS[number]}"/>')
        head.append(_text(x + 17, 46, name))
        x += 40 + 6.6 * len(name)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}"'
            f' width="{WIDTH}" role="img" font-family="system-ui, sans-serif" font-size="12"'
            f' fill="{GREY}">',
            f"<title>{escape(chart.alt)}</title>",
            *head,
            *parts,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _numbers(chart: Chart) -> list[float]:
    return [value for values in chart.series.values() for value in values if value is not None]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 or value == 0 else f"{value:.3g}"


def _round_up(value: float) -> float:
    """To one, two or five times a power of ten, and their quarters."""
    power = 10 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 1.6, 2, 3, 4, 5, 6, 8, 10) if power * step >= value)
