"""CSV for spreadsheets and for programs: UTF-8 with a byte order mark, commas, CRLF.

Without the mark Excel takes UTF-8 for something else; pandas skips it, and Python reads it as
``utf-8-sig``. What a spreadsheet would run as a formula gets an apostrophe in front, and so
does what begins with one already: whoever takes one apostrophe off the front of each text that
has one gets the text back as it was.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any

from batch.exports.json_lines import as_json
from batch.results import COLUMNS, Row, result_rows

BOM = "\ufeff"
# As OWASP lists them, the full-width forms included, behind any white space: some programs drop
# that when they import.
_RISKY = re.compile(r"['\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def write(*job_ids: str) -> Iterator[bytes]:
    return lines(COLUMNS, result_rows(*job_ids))


def lines(columns: Iterable[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """A table with these columns of the rows."""
    names = list(columns)
    writer = csv.writer(_Echo())
    yield _encoded(BOM + writer.writerow(names))
    for row in rows:
        yield _encoded(writer.writerow([_cell(row[name]) for name in names]))


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    text = value if isinstance(value, str) else as_json(value)
    return f"'{text}" if _RISKY.match(text) else text


def _encoded(line: str) -> bytes:
    return line.encode(errors="replace")


class _Echo:
    """A file for the writer of a row, which returns what this returns."""

    def write(self, line: str) -> Any:
        return line
