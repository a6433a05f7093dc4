"""What a body that unpacks to far more than it is costs the process that fetches it."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from .kit import Web
from .test_decode import PACKERS, packed

ROOT = Path(__file__).parents[2]
ZEROS = bytes(64 * 1024 * 1024)
LIMITS = [(8_000_000, 30), (50_000_000, 80)]

# The peak is the kernel's own, set back after a page that had everything loaded. getrusage would
# count in what the process that started this one once had.
_MEASURE = """
import sys
from batch.errors import FetchError
from batch.types import FetchContext, Options, Target
from sift_batch.fetch import FetchConfig, Fetcher

def kilobytes(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))

port, path, limit = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
fetch = Fetcher(FetchConfig(
    allowed_networks=["127.0.0.1/32"], allowed_ports=[port], max_decoded_bytes=limit
))

def get(path):
    target = Target(f"http://127.0.0.1:{port}{path}", Options(mode="raw"))
    return fetch(FetchContext(), target)

assert get("/small" + path).content == "<p>small</p>"
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before = kilobytes("VmRSS")
try:
    get(path)
except FetchError as error:
    assert error.code == "decompression_limit", error.code
else:
    raise SystemExit("not stopped")
print(kilobytes("VmHWM") - before)
"""


def growth_mb(web: Web, encoding: str, small: bytes, bomb: bytes, limit: int) -> float:
    """By how much a fresh process grows at its peak while it fetches ``bomb``."""
    server = web.serve({"/small/": packed(small, encoding), "/": packed(bomb, encoding)})
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(server.port), "/", str(limit)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 1024


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize(("limit", "most_mb"), LIMITS)
def test_a_bomb_costs_little_more_memory_than_its_limit(
    web: Web, encoding: str, limit: int, most_mb: int
) -> None:
    pack = PACKERS[encoding]
    assert growth_mb(web, encoding, pack(b"<p>small</p>"), pack(ZEROS), limit) < most_mb


@pytest.mark.parametrize("inner", ["gzip", "br", "zstd"])
@pytest.mark.parametrize(("limit", "most_mb"), LIMITS)
def test_a_bomb_in_a_bomb_costs_no_more(web: Web, inner: str, limit: int, most_mb: int) -> None:
    def pack(data: bytes) -> bytes:
        return gzip.compress(PACKERS[inner](data))

    grown = growth_mb(web, f"{inner}, gzip", pack(b"<p>small</p>"), pack(ZEROS), limit)
    assert grown < most_mb


@pytest.mark.parametrize(("limit", "most_mb"), LIMITS)
def test_an_inner_layer_as_large_as_the_limit_is_not_kept(
    web: Web, limit: int, most_mb: int
) -> None:
    filling = gzip.compress(bytes(limit - 200_000), compresslevel=0)  # as large as what it holds
    bomb = gzip.compress(filling + gzip.compress(ZEROS))
    small = gzip.compress(gzip.compress(b"<p>small</p>"))
    assert growth_mb(web, "gzip, gzip", small, bomb, limit) < most_mb
