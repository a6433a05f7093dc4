"""Content-Encoding undone, with a limit on what comes out.

The decoders are asked for a bounded piece at a time, through all stacked encodings at once, so
a small body that unpacks to gigabytes costs no more memory than the limit.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator

from batch.errors import FetchError

from .clock import Clock
from .errors import fail
from .limits import DECODE_INPUT_BYTES, MAX_ENCODINGS
from .unpack import BROKEN, DECODERS, GZIP_MAGIC, ZSTD_MAGICS, Source

_NO_ENCODINGS = frozenset({"none", "binary", "utf-8", "aws-chunked"})
"""What servers put into Content-Encoding although it says nothing about the bytes."""
_HEAD_BYTES = 512

Warn = Callable[[str, str], None]


def decoded(
    wire: bytes, content_encoding: str, *, max_bytes: int, clock: Clock, warn: Warn
) -> bytes:
    """The body behind ``content_encoding``.

    Raises ``decompression_limit``, ``bad_response`` and, for a stream that ends early,
    ``connection_lost``.
    """
    names = _names(content_encoding, warn)
    if not names and not wire.startswith(GZIP_MAGIC):
        return wire
    try:
        if names:
            pieces = _unpacked(wire, names, max_bytes, clock, warn)
        else:
            pieces = _limited(DECODERS["gzip"](Source(_chunks(wire))), max_bytes, clock)
        out = io.BytesIO()  # its getvalue() hands the buffer over without a copy
        for piece in pieces:
            out.write(piece)
    except BROKEN:
        if not names:
            return wire
        raise _bad("the server's packed body is broken") from None
    if not names:
        warn("undeclared_compression", "the body was packed with gzip and the server did not say")
    return out.getvalue()


def _names(content_encoding: str, warn: Warn) -> list[str]:
    """The encodings in the order in which they were applied."""
    names = [n.strip().lower() for n in content_encoding.split(",") if n.strip()]
    for name in sorted(_NO_ENCODINGS.intersection(names)):
        warn("encoding_mismatch", f"the server names {name} as an encoding, which packs nothing")
    names = [n.removeprefix("x-") for n in names if n != "identity" and n not in _NO_ENCODINGS]
    if len(names) > MAX_ENCODINGS:
        raise _bad("the server packed the body too many times")
    for name in names:
        if name not in DECODERS:
            raise _bad("the server packed the body in a way that was not asked for")
    return names


def _unpacked(
    wire: bytes, names: list[str], max_bytes: int, clock: Clock, warn: Warn
) -> Iterator[bytes]:
    """The body in pieces; where it is not packed as the server says, it stays as it is."""
    source = Source(_chunks(wire))
    for name in reversed(names):
        head = source.peek(_HEAD_BYTES)
        if not head:
            break
        if name == "br" and _is_plain(head):
            # Brotli has no mark to look for, so such a body has to be tried in full.
            body = b"".join(source.rest())
            if not _is_brotli(body, max_bytes, clock):
                warn("encoding_mismatch", _mismatch(name))
                source = Source([body])
                break
            source = Source(_chunks(body))
        elif not _plausible(name, head):
            warn("encoding_mismatch", _mismatch(name))
            break
        source = Source(_limited(DECODERS[name](source), max_bytes, clock))
    return source.rest()


def _chunks(data: bytes) -> Iterator[bytes]:
    return (data[at : at + DECODE_INPUT_BYTES] for at in range(0, len(data), DECODE_INPUT_BYTES))


def _limited(pieces: Iterable[bytes], max_bytes: int, clock: Clock) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > max_bytes:
            raise fail(
                "decompression_limit",
                f"the body unpacks to more than {max_bytes} bytes",
                "the operator can raise SIFT_FETCH['MAX_DECODED_BYTES']",
            )
        clock.check()
        yield piece


def _is_brotli(body: bytes, max_bytes: int, clock: Clock) -> bool:
    try:
        for _ in _limited(DECODERS["br"](Source(_chunks(body))), max_bytes, clock):
            pass
    except BROKEN:
        return False
    except FetchError as error:
        if error.code == "connection_lost":  # it ends too early, as a few words may seem to
            return False
        raise
    return True


def _plausible(name: str, head: bytes) -> bool:
    """Whether the body begins as its encoding does."""
    if name == "gzip":
        return head.startswith(GZIP_MAGIC[:2])
    if name == "zstd":
        return head.startswith(ZSTD_MAGICS)
    if name == "deflate":
        return not _is_plain(head)
    return True


def _is_plain(head: bytes) -> bool:
    return head.lstrip()[:1] in (b"<", b"{", b"[") or (
        all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
    )


def _mismatch(name: str) -> str:
    return f"the server says that the body is packed with {name}, but it is not"


def _bad(message: str) -> Exception:
    return fail("bad_response", message, "the server is broken; an archived copy may exist")
