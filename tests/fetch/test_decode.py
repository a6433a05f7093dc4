"""Content-Encoding: undone within limits, honest or not."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zlib
from pathlib import Path

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


_MEASURE = """
import resource, sys
from sift_batch.fetch.clock import Clock
from sift_batch.fetch.decode import decoded
from batch.errors import FetchError
wire = open(sys.argv[2], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    decoded(wire, sys.argv[1], max_bytes=int(sys.argv[3]), clock=Clock(60), warn=print)
except FetchError as error:
    assert error.code == "decompression_limit", error.code
else:
    raise SystemExit("not stopped")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize(("limit", "growth_mb"), [(8_000_000, 30), (50_000_000, 80)])
def test_a_bomb_costs_little_more_memory_than_its_limit(
    tmp_path: Path, encoding: str, limit: int, growth_mb: int
) -> None:
    bomb = tmp_path / "bomb"
    bomb.write_bytes(PACKERS[encoding](bytes(64 * 1024 * 1024)))
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, encoding, str(bomb), str(limit)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert int(done.stdout) < growth_mb * 1024


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
