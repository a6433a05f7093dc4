"""What holds for any bytes: charsets and Content-Encodings."""

from __future__ import annotations

from itertools import pairwise

import brotli
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from batch.errors import FetchError
from sift_batch.fetch.charset import BOMS, read_text
from sift_batch.fetch.clock import Clock
from sift_batch.fetch.decode import decoded
from sift_batch.fetch.unpack import BROKEN, DECODERS, Source

from .test_decode import PACKERS, raw_deflate

quick = settings(max_examples=60, deadline=None)
SOURCES = {"bom", "header", "meta", "xml", "utf8", "detected", "default"}
PACK = {**{name: PACKERS[name] for name in ("gzip", "deflate", "br", "zstd")}}
data = st.one_of(
    st.binary(max_size=400),
    st.builds(lambda piece, times: piece * times, st.binary(max_size=20), st.integers(0, 3000)),
)


def split(whole: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    return [whole[a:b] for a, b in pairwise(places)]


def unpacked(wire: bytes, encoding: str, limit: int = 1_000_000) -> bytes:
    warned: list[str] = []
    made = decoded(
        wire, encoding, max_bytes=limit, clock=Clock(20), warn=lambda code, _: warned.append(code)
    )
    assert warned == []
    return made


@quick
@given(data, st.sampled_from(sorted(PACK)), st.lists(st.integers(0, 600), max_size=12))
def test_any_split_of_a_stream_gives_the_same_bytes(
    body: bytes, name: str, cuts: list[int]
) -> None:
    wire = PACK[name](body)
    assert b"".join(DECODERS[name](Source(split(wire, cuts)))) == body
    assert b"".join(DECODERS[name](Source(bytes([byte]) for byte in wire))) == body


@quick
@given(data, st.lists(st.integers(0, 600), max_size=8))
def test_a_bare_deflate_stream_may_be_split_as_well(body: bytes, cuts: list[int]) -> None:
    assert b"".join(DECODERS["deflate"](Source(split(raw_deflate(body), cuts)))) == body


@quick
@given(st.lists(data, min_size=2, max_size=4), st.sampled_from(["gzip", "zstd"]), st.data())
def test_all_members_of_a_stream_are_read(
    bodies: list[bytes], name: str, more: st.DataObject
) -> None:
    wire = b"".join(map(PACK[name], bodies))
    cuts = more.draw(st.lists(st.integers(0, len(wire)), max_size=8))
    assert b"".join(DECODERS[name](Source(split(wire, cuts)))) == b"".join(bodies)


@quick
@given(
    st.binary(min_size=1, max_size=300),
    st.lists(st.sampled_from(["gzip", "deflate", "zstd", "br"]), min_size=1, max_size=4),
)
def test_what_was_packed_several_times_comes_out_whole(body: bytes, names: list[str]) -> None:
    wire = body
    for name in names:
        wire = PACK[name](wire)
    assert unpacked(wire, ", ".join(names)) == body


@quick
@given(st.binary(min_size=30, max_size=2000), st.sampled_from(sorted(PACK)), st.data())
def test_a_stream_that_is_cut_is_never_taken_for_a_whole_one(
    body: bytes, name: str, more: st.DataObject
) -> None:
    wire = PACK[name](body)
    cut = wire[: more.draw(st.integers(0, len(wire) - 1))]
    with pytest.raises((FetchError, *BROKEN)) as caught:
        b"".join(DECODERS[name](Source([cut])))
    if isinstance(caught.value, FetchError):
        assert caught.value.code == "connection_lost"


@quick
@given(st.integers(1, 5000), st.integers(1, 5000), st.sampled_from(sorted(PACK)))
def test_the_limit_is_exact(size: int, limit: int, name: str) -> None:
    wire = PACK[name](b"a" * size)
    if size <= limit:
        assert unpacked(wire, name, limit) == b"a" * size
        return
    with pytest.raises(FetchError) as caught:
        unpacked(wire, name, limit)
    assert caught.value.code == "decompression_limit"


def test_the_best_compression_of_brotli_is_read_too() -> None:
    for body in (b"{}", b"[1, 2]", b"<p>words</p>" * 50):
        assert unpacked(brotli.compress(body), "br") == body


CODECS = ["utf-8", "windows-1252", "windows-1251", "gb18030", "shift_jis", "euc-jp", "big5",
          "utf-16", "utf-16-le", "koi8-r", "iso-8859-8"]  # fmt: skip
labels = st.sampled_from(
    ["", *CODECS, "latin-1", "gbk", "x", "base64", "rot13", "idna", "undefined", "utf-7", "\u00e9",
     "mbcs", "unicode_escape", "hex", "zip", "utf-8-sig", "utf_16", "cp65001", "punycode"]
)  # fmt: skip
prose = st.text(st.sampled_from("aé中日жЖشあ<>&;\n ") | st.characters(codec="utf-8"), max_size=200)
bodies = st.one_of(
    st.binary(max_size=300),
    st.builds(lambda text, codec: text.encode(codec, "replace"), prose, st.sampled_from(CODECS)),
    st.builds(
        lambda label, rest: f"<meta charset='{label}'>".encode() + rest,
        labels,
        st.binary(max_size=100),
    ),
    st.builds(lambda bom, rest: bom[0] + rest, st.sampled_from(BOMS), st.binary(max_size=100)),
)


@settings(max_examples=200, deadline=None)
@given(bodies, labels, st.booleans())
@example(b"\xfa@", "big5", False)  # only what browsers read as Big5 has this character
def test_a_text_is_what_its_bytes_are_in_the_charset_that_is_told(
    body: bytes, label: str, html: bool
) -> None:
    warned: list[str] = []
    made = read_text(
        body,
        f"text/html; charset={label}",
        html=html,
        warn=lambda code, message: warned.append(f"{code}: {message}"),
    )
    assert made.source in SOURCES
    rest = body
    if made.source == "bom":
        mark = next(mark for mark, name in BOMS if name == made.charset and body.startswith(mark))
        rest = body[len(mark) :]
    assert made.text == rest.decode(made.charset, "replace")
    try:
        rest.decode(made.charset)
    except UnicodeDecodeError:
        assert [warning.partition(":")[0] for warning in warned] == ["bad_characters"]
    else:
        assert warned == []
