"""From bytes to text: which charset, and how we know."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

from .labels import CODECS
from .limits import (
    CHARSET_BAD_SHARE,
    CHARSET_DETECT_MIN_BYTES,
    CHARSET_DETECT_SAMPLE_BYTES,
    CHARSET_META_BYTES,
)

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
NO_CHARSETS = ("utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode")
"""Codecs of Python that no page is written in, and that would turn text into other text."""
LATIN_2_LANGUAGES = (
    "Croatian", "Czech", "Hungarian", "Polish", "Romanian", "Slovak", "Slovene",
)  # fmt: skip
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\b[^>]*", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""(?<![\w-])charset\s*=\s*["']?\s*([\w:.+-]+)""", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""([a-z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\A\s*<\?xml[^>]*?\bencoding\s*=\s*["']\s*([\w:.+-]+)""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w:.+-]+)""", re.IGNORECASE)

Warn = Callable[[str, str], None]


@dataclass(frozen=True)
class Decoded:
    """A text and where its charset came from: bom, header, meta, xml, utf8, detected, default."""

    text: str
    charset: str
    source: str


def read_text(body: bytes, content_type: str, *, html: bool, warn: Warn) -> Decoded:
    """Decode ``body`` by its BOM, header, markup or content, in this order. Never raises."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], name, "bom", warn)
    if codec := header_charset(content_type):
        return _decoded(body, _byte_order(codec, body), "header", warn)
    head = body[:CHARSET_META_BYTES]
    if html and (codec := _meta(head)):
        return _decoded(body, codec, "meta", warn)
    xml = _XML.match(head)
    if xml and (codec := _codec(xml[1].decode("ascii"))):
        return _decoded(body, "utf-8" if codec.startswith("utf-16") else codec, "xml", warn)
    return _guessed(body, warn)


def header_charset(content_type: str) -> str | None:
    """The charset that a Content-Type names, None for none and for one that is unknown."""
    named = _HEADER.search(content_type)
    return _codec(named[1]) if named else None


def _meta(head: bytes) -> str | None:
    """The charset that a page declares in its first bytes."""
    for tag in _META.findall(_COMMENT.sub(b"", head)):
        attributes = {
            name.lower(): value.strip(b"\"' \t\r\n\f/") for name, value in _ATTRIBUTE.findall(tag)
        }
        label = attributes.get(b"charset")
        if label is None and attributes.get(b"http-equiv", b"").lower() == b"content-type":
            named = _META_CHARSET.search(attributes.get(b"content", b""))
            label = named[1] if named else None
        if label and (codec := _codec(label.decode("latin-1"))):
            # A declaration that could be read byte by byte is not written in UTF-16.
            return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec
    return None


def _codec(label: str) -> str | None:
    """Python's name of the charset that a label stands for, or None for one that is unknown."""
    label = label.strip().lower()
    if label in CODECS:
        return CODECS[label]
    try:
        name = codecs.lookup(label).name
        b"a".decode(name, "replace")  # refuses codecs that are not about text, such as base64
    except (LookupError, ValueError, TypeError):
        return None
    # Python knows spellings that no standard has, such as latin-1 and iso_8859_9.
    standard = name.replace("_", "-")
    return None if standard in NO_CHARSETS else CODECS.get(standard, name)


def _byte_order(codec: str, body: bytes) -> str:
    """UTF-16 without a mark: by the zero bytes, which most characters of markup have; else little
    first, as browsers take it (https://encoding.spec.whatwg.org/#utf-16le)."""
    if codec != "utf-16":
        return codec
    first, second = body[:4096:2].count(0), body[1:4096:2].count(0)
    return "utf-16-be" if first > second else "utf-16-le"


def _decoded(body: bytes, codec: str, source: str, warn: Warn) -> Decoded:
    try:
        return Decoded(body.decode(codec), codec, source)
    except UnicodeDecodeError:
        text = body.decode(codec, "replace")
        _warn_bad(text.count("\ufffd"), codec, warn)
        return Decoded(text, codec, source)


def _guessed(body: bytes, warn: Warn) -> Decoded:
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "utf8")
    except UnicodeDecodeError:
        pass
    non_ascii = len(body) - len(body.translate(None, bytes(range(128, 256))))
    text = body.decode("utf-8", "replace")
    good = len(text.replace("\ufffd", "").encode("utf-8", "replace"))
    ascii_only = len(body) - non_ascii
    bad = max(non_ascii - (good - ascii_only), 0)
    if bad < CHARSET_BAD_SHARE * non_ascii:
        _warn_bad(text.count("\ufffd"), "utf-8", warn)
        return Decoded(text, "utf-8", "utf8")
    if non_ascii >= CHARSET_DETECT_MIN_BYTES and (codec := _detected(body)):
        return _decoded(body, codec, "detected", warn)
    return _decoded(body, "windows-1252", "default", warn)


def _detected(body: bytes) -> str | None:
    from charset_normalizer import from_bytes  # slow to import, rarely needed

    found = from_bytes(_sample(body))
    best = found.best()
    if best is None:
        return None
    # Of charsets that fit equally well the first in the alphabet comes first, so that most
    # Spanish and Swedish pages would be read as windows-1250, with other letters in their words.
    equal = [m for m in found if (m.chaos, m.coherence) == (best.chaos, best.coherence)]
    western = any("cp1252" in match.could_be_from_charset for match in equal)
    if western and best.language not in LATIN_2_LANGUAGES:
        return "windows-1252"
    return _codec(best.encoding)


def _sample(body: bytes) -> bytes:
    """The part to look at: whole lines around the first non-ASCII byte."""
    if len(body) <= CHARSET_DETECT_SAMPLE_BYTES:
        return body
    first = next((at for at, byte in enumerate(body) if byte > 127), 0)
    start = max(body.rfind(b"\n", 0, first), 0)
    end = body.find(b"\n", start + CHARSET_DETECT_SAMPLE_BYTES)
    return body[
        start : end
        if 0 <= end < start + 2 * CHARSET_DETECT_SAMPLE_BYTES
        else start + CHARSET_DETECT_SAMPLE_BYTES
    ]


def _warn_bad(count: int, codec: str, warn: Warn) -> None:
    bad = "1 bad character" if count == 1 else f"{count} bad characters"
    warn("bad_characters", f"{bad} for {codec}, replaced by U+FFFD")
