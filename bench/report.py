"""The tables on the terminal, and the same with their charts in docs/performance.md.

Each section has markers of its own in there, so that it can be renewed by itself.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import sqlite3
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import django

from bench.measure import Row, Section

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "performance.md"
BEGIN = "<!-- numbers: written by `python -m bench --write` -->\n"
END = "<!-- end of the numbers -->"
PART = "<!-- part: {} -->\n"  # as a regular expression it means itself


def show(section: Section) -> None:
    print(f"\n{section.title}")
    if section.table:
        lines = [section.table.heads, *section.table.lines]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            print(f"  {'  '.join(cells)}".rstrip())
    for row in section.rows:
        print(f"  {row.what:<52} {row.found:<34} {promise(row)}")
    print(flush=True)


def write(name: str, section: Section, order: Sequence[str], command: str, server: str) -> None:
    """Put a section between the page's markers; what stands there of others stays."""
    before, rest = PAGE.read_text().split(BEGIN)
    numbers, after = rest.split(END)
    old = re.split(PART.format("(.*)"), numbers)
    texts = dict(zip(old[1::2], old[2::2], strict=True))
    texts[name] = "\n".join([*_section(section), _measured(section, command, server), "\n"])
    for chart in section.charts:
        (DOCS / "images" / f"{chart.name}.svg").write_text(chart.svg())
    numbers = "".join(PART.format(part) + texts[part] for part in order if part in texts)
    PAGE.write_text(before + BEGIN + numbers + END + after)


def _measured(section: Section, command: str, server: str) -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    beside = [f"{name} {version(name)}" for name in section.beside]
    known = [
        f"{os.cpu_count()} cores ({platform.machine()})",
        platform.system(),
        f"Python {platform.python_version()}",
        f"Django {django.__version__}",
        f"PostgreSQL {server}",
        f"SQLite {sqlite3.sqlite_version}",
    ]
    return f"`{command}` on {today}: {', '.join([*known, *beside])}."


def _section(section: Section) -> list[str]:
    lines = [f"### {section.title}", ""]
    for chart in section.charts:
        lines += [f"![{chart.alt}](images/{chart.name}.svg)", ""]
    if section.table:
        lines += _table(section.table.heads, section.table.lines)
    if section.rows:
        rows = [(row.what, row.found, promise(row)) for row in section.rows]
        lines += _table(("", "measured", "promised"), rows)
    return [*lines, section.remark, ""]


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    ruled = ["|---" * len(heads) + "|"]
    rows = [f"| {' | '.join(line)} |" for line in (heads, *lines)]
    return [rows[0], *ruled, *rows[1:], ""]


def promise(row: Row) -> str:
    if row.kept is None:
        return row.promise
    return f"{row.promise}: {'yes' if row.kept else 'NO'}"
