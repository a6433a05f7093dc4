"""Content-Encoding undone, with a limit on what comes out.

The decoders are asked for a bounded piece at a time, so a small body that unpacks to
gigabytes costs no more memory than the limit.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

import brotli

from .clock import Clock
from .errors import fail
from .limits import DECODE_INPUT_BYTES, DECODE_STEP_BYTES, MAX_ENCODINGS, ZSTD_WINDOW_LOG
from .stream import lost

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes([n]) + b"\x2a\x4d\x18" for n in range(0x50, 0x60)))

_NO_ENCODINGS = frozenset({"none", "binary", "utf-8", "aws-chunked"})
"""What servers put into Content-Encoding although it says nothing about the bytes."""

Warn = Callable[[str, str], None]


def decoded(
    wire: bytes, content_encoding: str, *, max_bytes: int, clock: Clock, warn: Warn
) -> bytes:
    """The body behind ``content_encoding``.

    Raises ``decompression_limit``, ``bad_response`` and, for a stream that ends early,
    ``connection_lost``.
    """
    names = [n.strip().lower() for n in content_encoding.split(",") if n.strip()]
    for name in _NO_ENCODINGS.intersection(names):
        warn("encoding_mismatch", f"the server names {name} as an encoding, which packs nothing")
    names = [n.removeprefix("x-") for n in names if n != "identity" and n not in _NO_ENCODINGS]
    if len(names) > MAX_ENCODINGS:
        raise _bad("the server packed the body too many times")
    for name in names:
        if name not in _DECODERS:
            raise _bad("the server packed the body in a way that was not asked for")
    for name in reversed(names):
        if not wire:
            break
        if not _plausible(name, wire):
            warn(
                "encoding_mismatch",
                f"the server says that the body is packed with {name}, but it is not",
            )
            break
        try:
            wire = _bounded(_DECODERS[name](wire), max_bytes, clock)
        except (zlib.error, zstd.ZstdError, brotli.error):
            if name == "br" and _is_plain(wire):
                warn("encoding_mismatch", "the server says that the body is packed, but it is not")
                break
            raise _bad("the server's packed body is broken") from None
    if not names and wire.startswith(GZIP_MAGIC):
        try:
            unpacked = _bounded(_gzip(wire), max_bytes, clock)
        except zlib.error:
            return wire
        warn("undeclared_compression", "the body was packed with gzip and the server did not say")
        return unpacked
    return wire


def _bounded(pieces: Iterator[bytes], max_bytes: int, clock: Clock) -> bytes:
    out = io.BytesIO()  # its getvalue() hands the buffer over without a copy
    for piece in pieces:
        if out.tell() + len(piece) > max_bytes:
            raise fail(
                "decompression_limit",
                f"the body unpacks to more than {max_bytes} bytes",
                "the operator can raise SIFT_FETCH['MAX_DECODED_BYTES']",
            )
        out.write(piece)
        clock.check()
    return out.getvalue()


def _zlib_stream(data: bytes, start: int, window: int) -> Generator[bytes, None, int]:
    """The pieces of the stream at ``start``; returns where it ends."""
    decoder = zlib.decompressobj(window)
    for at in range(start, len(data), DECODE_INPUT_BYTES):
        chunk = data[at : at + DECODE_INPUT_BYTES]
        end = at + len(chunk)
        while True:
            piece = decoder.decompress(chunk, DECODE_STEP_BYTES)
            chunk = decoder.unconsumed_tail
            if piece:
                yield piece
            if decoder.eof:
                return end - len(decoder.unused_data)
            if not piece and not chunk:
                break
    raise lost()


def _gzip(data: bytes) -> Iterator[bytes]:
    at = 0
    while True:
        at = yield from _zlib_stream(data, at, 16 + zlib.MAX_WBITS)
        if not data.startswith(GZIP_MAGIC, at):
            return  # padding after the last member is allowed


def _deflate(data: bytes) -> Iterator[bytes]:
    # The standard says zlib; some servers send the bare stream.
    window = zlib.MAX_WBITS if _has_zlib_header(data) else -zlib.MAX_WBITS
    yield from _zlib_stream(data, 0, window)


def _brotli(data: bytes) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    for at in range(0, len(data), DECODE_INPUT_BYTES):
        piece = decoder.process(
            data[at : at + DECODE_INPUT_BYTES], output_buffer_limit=DECODE_STEP_BYTES
        )
        while piece or not decoder.can_accept_more_data():
            yield piece
            if decoder.is_finished():
                return
            piece = decoder.process(b"", output_buffer_limit=DECODE_STEP_BYTES)
        if decoder.is_finished():
            return
    raise lost()


def _zstd(data: bytes) -> Iterator[bytes]:
    at = 0
    while data.startswith(ZSTD_MAGICS, at):
        at = yield from _zstd_frame(data, at)


def _zstd_frame(data: bytes, start: int) -> Generator[bytes, None, int]:
    decoder: Any = zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}
    )
    for at in range(start, len(data), DECODE_INPUT_BYTES):
        chunk = data[at : at + DECODE_INPUT_BYTES]
        end = at + len(chunk)
        while True:
            piece = decoder.decompress(chunk, max_length=DECODE_STEP_BYTES)
            chunk = b""
            if piece:
                yield piece
            if decoder.eof:
                return end - len(decoder.unused_data)
            if not piece and decoder.needs_input:
                break
    raise lost()


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _plausible(name: str, data: bytes) -> bool:
    """Whether the body begins as its encoding does. Brotli has no mark to look for."""
    if name == "gzip":
        return data.startswith(GZIP_MAGIC[:2])
    if name == "zstd":
        return data.startswith(ZSTD_MAGICS)
    if name == "deflate":
        return not _is_plain(data)
    return True


def _is_plain(data: bytes) -> bool:
    head = data[:512]
    return head.lstrip()[:1] in (b"<", b"{", b"[") or (
        all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
    )


def _has_zlib_header(data: bytes) -> bool:
    return len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0


def _bad(message: str) -> Exception:
    return fail("bad_response", message, "the server is broken; an archived copy may exist")
