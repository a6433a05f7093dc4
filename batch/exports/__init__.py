"""Results as files: JSONL, CSV, or a zip of Markdown files, as streams of bytes.

Everything that hands out results takes them from :func:`stream`: the API, the commands, the
admin. No more than a few megabytes of a stream are in memory at a time, and nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple

from batch.exports import csv_rows, json_lines, zip_files

CHUNK_BYTES = 64 * 1024


class Form(NamedTuple):
    """A form that results can have. ``write`` takes the ids of jobs."""

    content_type: str
    write: Callable[..., Iterator[bytes]]


FORMS = {
    "jsonl": Form("application/jsonl", json_lines.write),
    "csv": Form("text/csv; charset=utf-8", csv_rows.write),
    "zip": Form("application/zip", zip_files.write),
}
"""By the ending of a file's name."""


def stream(form: str, *job_ids: str) -> Generator[bytes, None, None]:
    """The results of these jobs, in pieces of some size.

    Raises what :func:`batch.results.result_rows` does, in the midst of the stream too: then
    what was written so far must not be taken for all.
    """
    chunk = bytearray()
    for piece in FORMS[form].write(*dict.fromkeys(job_ids)):
        chunk += piece
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)
