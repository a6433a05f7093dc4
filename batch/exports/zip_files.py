"""A zip of a Markdown file for each target that is done, and of ``index.csv`` for all of them.

The index has every column but the content and its meta, which are in the files, and ``file``,
which is empty for a target that has none. It stands at the end, since a zip that is written as
it is read takes one file after the other; its rows are read once more instead of being kept.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from batch.exports import csv_rows, front_matter
from batch.models import TargetState
from batch.results import COLUMNS, Row, result_rows

INDEX_COLUMNS = ("file", *(name for name in COLUMNS if name not in ("content", "meta")))
SLUG_CHARS = 60
# Packed twice as fast as by default, and a few percent larger.
COMPRESS_LEVEL = 3
# An index of fewer rows stays within what a zip can hold without the form for large files.
LARGE_INDEX_ROWS = 20_000
_STATES = TargetState.values


def write(*job_ids: str) -> Iterator[bytes]:
    pipe = _Pipe()
    several = len(job_ids) > 1
    seen = bytearray()  # the state that each target had when its file was due
    with zipfile.ZipFile(pipe, "w") as archive:
        for row in result_rows(*job_ids):
            seen.append(_STATES.index(row["status"]))
            if row["status"] == TargetState.DONE:
                info = _info(_file_name(row, several), row["finished_at"])
                text = front_matter.document(row).encode(errors="replace")
                archive.writestr(info, text, compresslevel=COMPRESS_LEVEL)
            yield pipe.taken()
        large = len(seen) >= LARGE_INDEX_ROWS
        with archive.open(_info("index.csv"), "w", force_zip64=large) as index:
            for line in csv_rows.lines(INDEX_COLUMNS, _index(job_ids, several, seen)):
                index.write(line)
                yield pipe.taken()
    yield pipe.taken()


def _index(job_ids: tuple[str, ...], several: bool, seen: bytearray) -> Iterator[Row]:
    rows = result_rows(*job_ids, content=False)
    for row, state in zip(rows, seen, strict=True):
        then = _as_it_was(row, _STATES[state])
        done = then["status"] == TargetState.DONE
        yield {**then, "file": _file_name(row, several) if done else ""}


def _as_it_was(row: Row, status: str) -> Row:
    """The row in the state that its target had before: an outcome never changes, but one that
    was stored meanwhile has no file."""
    if status == row["status"]:
        return row
    then = {**row, "status": status, "details": None, "finished_at": None}
    then |= dict.fromkeys(("error", "hint", "code"), "")
    return then if status == TargetState.RUNNING else {**then, "started_at": None}


def _file_name(row: Row, several: bool) -> str:
    """Sorted by name, files are in the targets' order. ASCII that no system takes amiss."""
    address = re.sub(r"^\w+://(?:[^/?#]*@)?", "", row["url"][:2000])
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", re.split("[?#]", address)[0])
    slug = re.sub(r"\.{2,}", ".", slug).strip("-.")[:SLUG_CHARS].rstrip("-.")
    name = f"{row['idx']:06}{'-' if slug else ''}{slug}.md"
    return f"{row['job']}/{name}" if several else name


def _info(name: str, finished_at: str | None = None) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    if finished_at:
        moment = datetime.fromisoformat(finished_at)
        if moment.year >= 1980:
            info.date_time = moment.timetuple()[:6]
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


class _Pipe:
    """A file that only takes: what was written is handed on, and ``zipfile`` does not seek."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def taken(self) -> bytes:
        written = bytes(self._written)
        self._written.clear()
        return written
