"""A stream on its way to a client, for whatever answers requests."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Generator
from functools import partial
from typing import Self

from asgiref.sync import sync_to_async

from batch.exports import stream
from batch.text import one_line

logger = logging.getLogger("batch")

Chunks = Generator[bytes, None, None]


def begun(form: str, *job_ids: str) -> Chunks:
    """The stream, with its first chunk read already: what is wrong with the jobs or the database
    is raised here, while it can still be answered."""
    chunks = stream(form, *job_ids)
    return _sent(next(chunks, b""), chunks, job_ids)


def nothing() -> Chunks:
    """The stream of an answer without a body."""
    yield from ()


def _sent(first: bytes, chunks: Chunks, job_ids: tuple[str, ...]) -> Chunks:
    """The chunks. The status is out, so an error can only break the connection off, which tells
    the client that something is missing."""
    try:
        yield first
        yield from chunks
    except Exception as error:
        told = one_line(f"{type(error).__name__}: {error}")
        job = ",".join(job_ids)[:200]
        logger.warning("export_broken", extra={"job": job, "error": told})
        raise


class Awaited(AsyncIterator[bytes]):
    """The chunks for ASGI, where Django would collect all that a plain iterator gives and warn
    of it. Each is read in the thread of the view, which has the request's connections.

    No asynchronous generator: Django leaves one that a client went away from to the garbage
    collector, but closes what has a plain ``close``, in that thread.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._following = sync_to_async(partial(next, chunks, None), thread_sensitive=True)
        self.close = chunks.close

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        chunk: bytes | None = await self._following()
        if chunk is None:
            raise StopAsyncIteration
        return chunk
