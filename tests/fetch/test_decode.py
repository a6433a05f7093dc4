"""Content-Encoding: undone within limits, honest or not."""

from __future__ import annotations

import gzip
import time
import zlib

import brotli
import pytest
from backports import zstd

from .kit import OTHER, PARAGRAPH, Web, article, error_of, reply, warnings_of

PAGE = article(PARAGRAPH, OTHER).encode()


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=1),
    "zstd": zstd.compress,
}


def packed(data: bytes, encoding: str) -> bytes:
    """An answer without a length, which ends when the connection does."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}\r\n\r\n"
    return head.encode() + data


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_packed_body_is_read(web: Web, encoding: str) -> None:
    wire = PACKERS[encoding](PAGE)
    result = web.fetch(packed(wire, encoding), mode="raw")
    assert result.content == PAGE.decode()
    assert result.meta["bytes"] == len(PAGE)
    assert result.meta["bytes_wire"] == len(wire)


def test_a_bare_deflate_stream_and_stacked_encodings_are_read(web: Web) -> None:
    assert web.fetch(packed(raw_deflate(PAGE), "deflate"), mode="raw").content == PAGE.decode()
    twice = brotli.compress(gzip.compress(PAGE))
    assert web.fetch(packed(twice, "gzip, br"), mode="raw").content == PAGE.decode()


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_packed_body_that_ends_early_is_no_silent_half_page(web: Web, encoding: str) -> None:
    server = web.serve([packed(PACKERS[encoding](PAGE)[:-20], encoding)])
    assert error_of(lambda: web.fetch(server)).code == "connection_lost"
    assert len(server.requests) == 3


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_further_members_are_read(web: Web, encoding: str) -> None:
    two = PACKERS[encoding](b"first half ") + PACKERS[encoding](b"second half")
    assert web.fetch(packed(two, encoding), mode="raw").content == "first half second half"


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_bomb_is_stopped(web: Web, encoding: str) -> None:
    bomb = PACKERS[encoding](bytes(20_000_000))
    error = error_of(
        lambda: web.fetch(packed(bomb, encoding), settings={"max_decoded_bytes": 1_000_000})
    )
    assert error.code == "decompression_limit"
    assert error.meta["status_code"] == 200
    assert error.meta["final_url"].startswith("http")


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_plain_body_that_claims_to_be_packed_is_used_with_a_warning(
    web: Web, encoding: str
) -> None:
    result = web.fetch(reply(PAGE, "text/html", "200 OK", f"Content-Encoding: {encoding}"))
    assert "bridge" in result.content
    assert warnings_of(result) == ["encoding_mismatch"]


def test_a_gzip_body_that_does_not_say_so_is_read_with_a_warning(web: Web) -> None:
    result = web.fetch(reply(gzip.compress(PAGE)))
    assert "bridge" in result.content
    assert warnings_of(result) == ["undeclared_compression"]


@pytest.mark.parametrize("encoding", ["compress", "nonsense", "gzip, " * 9 + "gzip"])
def test_an_encoding_that_nobody_asked_for_is_a_bad_response(web: Web, encoding: str) -> None:
    assert error_of(lambda: web.fetch(packed(gzip.compress(PAGE), encoding))).code == "bad_response"


def test_a_broken_stream_is_a_bad_response(web: Web) -> None:
    broken = bytearray(gzip.compress(PAGE))
    broken[20] ^= 0xFF
    broken[30] ^= 0xFF
    assert error_of(lambda: web.fetch(packed(bytes(broken), "gzip"))).code == "bad_response"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_members_without_end_that_hold_nothing_end_on_the_clock(web: Web, encoding: str) -> None:
    wire = PACKERS[encoding](b"") * 600_000
    started = time.monotonic()
    settings = {"total_seconds": 0.5, "attempts": 1}
    error = error_of(lambda: web.fetch(packed(wire, encoding), settings=settings))
    assert error.code == "timeout"
    assert time.monotonic() - started < 1.5


def test_a_few_plain_words_that_are_called_brotli_are_used_as_they_are(web: Web) -> None:
    result = web.fetch(reply(b"hello", "text/plain", "200 OK", "Content-Encoding: br"))
    assert result.content == "hello"
    assert warnings_of(result) == ["encoding_mismatch"]
