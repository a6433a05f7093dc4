"""What a body is: its bytes first, then its header, then its suffix."""

from __future__ import annotations

import json
import re

from .charset import header_charset
from .limits import MAX_INDENT_BYTES, SNIFF_BYTES

TEXT_TYPES = frozenset({"html", "json", "jsonl", "xml", "csv", "markdown", "text"})

_BINARY_MAGICS = (
    b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04", b"PK\x05\x06",
    b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x7fELF",
    b"MZ\x90\x00", b"OggS", b"ID3", b"fLaC", b"RIFF", b"wOFF", b"wOF2", b"\x00asm",
    b"\x00\x00\x01\x00", b"\xd0\xcf\x11\xe0", b"SQLite format 3\x00", b"\x28\xb5\x2f\xfd",
    b"II*\x00", b"MM\x00*", b"\xca\xfe\xba\xbe", b"\x1aE\xdf\xa3",
)  # fmt: skip
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_FEED_START = re.compile(rb"<(?:rss|feed|rdf:RDF|urlset|sitemapindex|opml)\b")
_MIME = re.compile(r"""(?:\A|,)\s*["']?([\w.+-]+/[\w.+-]+)""", re.ASCII)
_NO_ELEMENTS = ((b"<!--", b"-->"), (b"<?", b"?>"))
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b\x08"))
_JSON_TYPES = ("application/json", "text/json", "application/manifest+json")
_JSONL_TYPES = (
    "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-ndjson",
    "application/ndjson", "application/json-seq",
)  # fmt: skip
_TEXT_APPLICATIONS = (
    "javascript", "ecmascript", "yaml", "x-yaml", "toml", "sql", "x-sh", "x-shellscript",
    "graphql", "x-httpd-php", "rtf", "x-tex", "x-latex", "x-www-form-urlencoded",
)  # fmt: skip
_SUFFIXES = {
    "html": "html", "htm": "html", "xhtml": "html", "json": "json", "geojson": "json",
    "jsonl": "jsonl", "ndjson": "jsonl", "xml": "xml", "rss": "xml", "atom": "xml", "svg": "xml",
    "csv": "csv", "tsv": "csv", "md": "markdown", "markdown": "markdown", "txt": "text",
}  # fmt: skip


def detect(body: bytes, content_type: str, path: str) -> str:
    """One of html, pdf, json, jsonl, xml, csv, markdown, text, binary."""
    mime = _mime(content_type)
    head = body[:SNIFF_BYTES]
    start = _first_element(head)
    if _is_pdf(body, mime):
        return "pdf"
    if _HTML_START.match(start):
        return "html"
    if _is_binary(body, content_type):
        return "binary"
    declared = _by_header(mime)
    if declared == "html" and _is_json(body):
        return "json"
    if declared == "html" and _FEED_START.match(start):
        return "xml"
    if declared in (None, "text"):
        suffix = _SUFFIXES.get(path.rsplit("/", 1)[-1].rpartition(".")[2].lower())
        if suffix and (suffix != "json" or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in b"[{"):
            return suffix
        if declared is None:
            return _by_content(body)
    return declared


def _mime(content_type: str) -> str:
    """The type that a header names, whatever stands around it; of several the last, which is the
    one that browsers take."""
    named = _MIME.findall(content_type)
    return named[-1].lower() if named else ""


def _first_element(head: bytes) -> bytes:
    """What begins with the first element, behind the comments and declarations before it."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while True:
        for opening, closing in _NO_ELEMENTS:
            if head.startswith(opening):
                head = head[len(opening) :].partition(closing)[2].lstrip()
                break
        else:
            return head


def _is_pdf(body: bytes, mime: str) -> bool:
    """Other bytes may stand before the mark; a page or a text that only mentions it has no
    objects, and no page is called a PDF."""
    head = body[:SNIFF_BYTES]
    at = head.find(b"%PDF-")
    if at <= 0:
        return at == 0
    return b" obj" in body and (mime == "application/pdf" or not head.lstrip().startswith(b"<"))


def _is_binary(body: bytes, content_type: str) -> bool:
    head = body[:4096]
    if head.startswith(_BINARY_MAGICS) or head[4:8] == b"ftyp":
        # Some are words, with which a text may begin: "ID3 tags are ...".
        start = head[:64]
        return not _is_utf8(start) or len(start.translate(None, _CONTROL)) < len(start)
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    if (header_charset(content_type) or "").startswith(("utf-16", "utf-32")):
        return False
    strange = len(head) - len(head.translate(None, _CONTROL))
    # Pages do hold a control character now and then; bytes that are not UTF-8 either are no page.
    return strange > (max(3, len(head) * 0.3) if _is_utf8(head) else len(head) * 0.02)


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as bad:
        return bad.start > len(head) - 4  # a character that the cut went through
    return True


def _by_header(mime: str) -> str | None:
    if mime in ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"):
        return "html"
    if mime in _JSON_TYPES or mime.endswith("+json"):
        return "json"
    if mime in _JSONL_TYPES:
        return "jsonl"
    if mime in ("application/xml", "text/xml") or mime.endswith("+xml"):
        return "xml"
    if mime in ("text/csv", "text/tab-separated-values", "application/csv"):
        return "csv"
    if mime in ("text/markdown", "text/x-markdown"):
        return "markdown"
    if mime.startswith("text/"):
        return "text"
    kind, _, name = mime.partition("/")
    if kind == "application" and name.removeprefix("x-") in _TEXT_APPLICATIONS:
        return "text"
    if kind in ("image", "audio", "video", "font", "model"):
        return "binary"
    return None


def _by_content(body: bytes) -> str:
    head = body[:SNIFF_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    if _is_json(body):
        return "json"
    if head.startswith(b"<?xml"):
        return "xml"
    if re.match(rb"<[a-z!]", head, re.IGNORECASE):
        return "html"
    return "text"


def _is_json(body: bytes) -> bool:
    start = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start not in (b"{", b"["):
        return False
    if len(body) > MAX_INDENT_BYTES:
        return True  # not worth reading twice
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True
