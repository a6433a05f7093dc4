"""The table on the terminal, and the same in docs/performance.md."""

from __future__ import annotations

import datetime
import os
import platform
import sqlite3
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import django

from bench.measure import Row, Section

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
BEGIN = "<!-- numbers: written by `python -m bench --write` -->"
END = "<!-- end of the numbers -->"


def show(section: Section) -> None:
    print(f"\n{section.title}")
    for row in section.rows:
        print(f"  {row.what:<52} {row.found:<34} {_promise(row)}")
    print(flush=True)


def write(sections: Sequence[Section], command: str, postgresql: str) -> None:
    """Put the numbers between the page's markers."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + _numbers(sections, command, postgresql) + END + after)


def _numbers(sections: Sequence[Section], command: str, postgresql: str) -> str:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    peers = ", ".join(f"{name} {version(name)}" for name in ("procrastinate", "huey", "psycopg"))
    lines = [
        "",
        f"`{command}` on {today}: {os.cpu_count()} cores ({platform.machine()}),"
        f" {platform.system()}, Python {platform.python_version()}, Django {django.__version__},"
        f" PostgreSQL {postgresql}, SQLite {sqlite3.sqlite_version}, {peers}.",
        "",
    ]
    for section in sections:
        lines += [f"### {section.title}", "", "| | measured | promised |", "|---|---|---|"]
        lines += [f"| {row.what} | {row.found} | {_promise(row)} |" for row in section.rows]
        lines += ["", section.remark, ""]
    return "\n".join(lines)


def _promise(row: Row) -> str:
    if row.kept is None:
        return row.promise
    return f"{row.promise}: {'yes' if row.kept else 'NO'}"
