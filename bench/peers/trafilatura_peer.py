"""trafilatura alone: the same documents, from memory, one after the other in one process."""

from __future__ import annotations

import itertools
import time

import trafilatura

from bench.documents import documents

_documents = documents()


def prepare() -> None:
    """Nothing has to be set up."""


def read(count: int) -> float:
    """Seconds a page, as Markdown with its links, as the pipeline makes it."""
    started = time.perf_counter()
    for page in itertools.islice(itertools.cycle(_documents), count):
        text = trafilatura.extract(
            page, output_format="markdown", include_links=True, include_formatting=True
        )
        assert text
    return (time.perf_counter() - started) / count


ASKED = (read,)
