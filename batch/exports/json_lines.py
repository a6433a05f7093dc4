"""JSONL: each target an object on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from batch.results import result_rows

# JSON may hold these as they are, but many a reader that splits text ends a line there.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def write(*job_ids: str) -> Iterator[bytes]:
    for row in result_rows(*job_ids):
        yield f"{as_json(row)}\n".encode(errors="replace")


def as_json(value: Any) -> str:
    """``value`` as JSON on one line, to whatever ends a line."""
    text = json.dumps(value, ensure_ascii=False)
    for end, escape in _LINE_ENDS.items():
        text = text.replace(end, escape)
    return text
