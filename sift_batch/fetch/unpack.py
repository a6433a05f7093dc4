"""The decoders behind Content-Encoding, each from pieces to pieces.

None of them gives more than a step at a time, so that stacked encodings cost no memory between
them, whatever comes out. Raises ``connection_lost`` for a stream that ends early, and the
library's own errors, :data:`BROKEN`, for one that is broken.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import brotli

from .limits import DECODE_STEP_BYTES, ZSTD_WINDOW_LOG
from .stream import lost

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BROKEN = (zlib.error, zstd.ZstdError, brotli.error)
GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes([n]) + b"\x2a\x4d\x18" for n in range(0x50, 0x60)))


class Source:
    """A stream in pieces of any size, which can be looked at before it is taken."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._next = b""

    def take(self) -> bytes:
        """The next piece, empty at the end alone."""
        piece, self._next = self._next, b""
        while not piece:
            try:
                piece = next(self._pieces)
            except StopIteration:
                break
        return piece

    def give_back(self, piece: bytes) -> None:
        self._next = piece + self._next

    def peek(self, count: int) -> bytes:
        """The first bytes, fewer than ``count`` only when no more are left."""
        while len(self._next) < count:
            known, self._next = self._next, b""
            piece = self.take()
            self._next = known + piece
            if not piece:
                break
        return self._next[:count]

    def rest(self) -> Iterator[bytes]:
        while piece := self.take():
            yield piece


def _zlib_stream(source: Source, window: int) -> Iterator[bytes]:
    decoder = zlib.decompressobj(window)
    while chunk := source.take():
        while True:
            piece = decoder.decompress(chunk, DECODE_STEP_BYTES)
            chunk = decoder.unconsumed_tail
            if piece:
                yield piece
            if decoder.eof:
                source.give_back(decoder.unused_data)
                return
            if not piece and not chunk:
                break
    raise lost()


def _gzip(source: Source) -> Iterator[bytes]:
    while True:
        yield from _zlib_stream(source, 16 + zlib.MAX_WBITS)
        if not _goes_on(source, (GZIP_MAGIC,)):
            return  # padding after the last member is allowed
        yield b""  # a chance to look at the clock, should all members be empty


def _deflate(source: Source) -> Iterator[bytes]:
    # The standard says zlib; some servers send the bare stream.
    window = zlib.MAX_WBITS if _has_zlib_header(source.peek(2)) else -zlib.MAX_WBITS
    yield from _zlib_stream(source, window)


def _brotli(source: Source) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    while chunk := source.take():
        piece = decoder.process(chunk, output_buffer_limit=DECODE_STEP_BYTES)
        while piece or not decoder.can_accept_more_data():
            yield piece
            if decoder.is_finished():
                return
            piece = decoder.process(b"", output_buffer_limit=DECODE_STEP_BYTES)
        if decoder.is_finished():
            return
    raise lost()


def _zstd(source: Source) -> Iterator[bytes]:
    while True:
        yield from _zstd_frame(source)
        if not _goes_on(source, ZSTD_MAGICS):
            return
        yield b""


def _zstd_frame(source: Source) -> Iterator[bytes]:
    decoder: Any = zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
    )
    while chunk := source.take():
        while True:
            piece = decoder.decompress(chunk, max_length=DECODE_STEP_BYTES)
            chunk = b""
            if piece:
                yield piece
            if decoder.eof:
                source.give_back(decoder.unused_data)
                return
            if not piece and decoder.needs_input:
                break
    raise lost()


DECODERS: dict[str, Callable[[Source], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _goes_on(source: Source, magics: tuple[bytes, ...]) -> bool:
    """Whether another member or frame follows."""
    head = source.peek(len(magics[0]))
    if head.startswith(magics):
        return True
    if head and any(magic.startswith(head) for magic in magics):
        raise lost()  # it ends within the mark of the next one
    return False


def _has_zlib_header(head: bytes) -> bool:
    return len(head) > 1 and head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
