"""A part of a document that a script writes, between two comments that name it."""

from __future__ import annotations

import datetime
import os
import platform
import sqlite3
from pathlib import Path

import django
import psycopg

DOCS = Path(__file__).resolve().parent.parent / "docs"


def renew(document: str, name: str, lines: list[str]) -> None:
    """Put ``lines`` between ``<!-- NAME: ... -->`` and ``<!-- end of NAME -->``."""
    page = DOCS / document
    before, begin, rest = page.read_text().partition(f"<!-- {name}: ")
    comment, close, old = rest.partition("-->\n")
    _, end, after = old.partition(f"<!-- end of {name} -->")
    if not end:
        raise ValueError(f"{page} has no place for {name}")
    page.write_text(before + begin + comment + close + "\n".join([*lines, ""]) + end + after)


def where(command: str, server_url: str) -> str:
    """One sentence: what was run, when and on what."""
    with psycopg.connect(server_url) as connection:
        postgresql = connection.info.parameter_status("server_version")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return (
        f"`{command}` on {today}: {os.cpu_count()} cores ({platform.machine()}),"
        f" {platform.system()}, Python {platform.python_version()}, Django {django.__version__},"
        f" PostgreSQL {postgresql}, SQLite {sqlite3.sqlite_version}."
    )
