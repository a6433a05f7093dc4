"""What a body is taken for."""

from __future__ import annotations

import time

import pytest

from sift_batch.fetch.sniff import detect

from .kit import OTHER, PARAGRAPH, Web, article, error_of, reply, warnings_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
HTML = b"<!DOCTYPE html><html><body>hello</body></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "path", "kind"),
    [
        (PNG, "text/html", "/", "binary"),
        (b"PK\x03\x04rest", "application/octet-stream", "/x.docx", "binary"),
        (b"\x00\x01\x02\x03" * 100, "", "/", "binary"),
        (b"plain", "image/png", "/", "binary"),
        (b"ID3 tags are what players read.", "text/plain", "/", "text"),
        (b"GIF89a is a format of pictures.", "text/markdown", "/", "markdown"),
        (b"GIF89a\x01\x00\x01\x00\x80\x00\x00", "text/plain", "/", "binary"),
        (b"RIFF\x24\x08\x00\x00WAVEfmt ", "text/plain", "/", "binary"),
        (b"%PDF-1.4 rest", "application/octet-stream", "/", "pdf"),
        (b"junk" * 100 + b"%PDF-1.4\n1 0 obj", "text/plain", "/", "pdf"),
        (b"A PDF begins with %PDF-1.4 and ends with %%EOF.", "text/plain", "/", "text"),
        (b"x" * 2000 + b"%PDF-1.4", "text/plain", "/", "text"),
        (b"<p>the mark %PDF-1.4 begins a PDF</p>", "text/html", "/", "html"),
        (HTML, "application/pdf", "/x.pdf", "html"),
        (b"<!-- made by x -->\n%PDF-1.4\n1 0 obj", "application/pdf", "/x.pdf", "pdf"),
        (b'<?xml version="1.0"?><!-- x -->\n<rss version="2.0"/>', "text/html", "/", "xml"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom"/>', "text/html", "/", "xml"),
        (HTML, "application/json", "/", "html"),
        (HTML, "", "/", "html"),
        (b"<div>part</div>", "", "/", "html"),
        (b"  <?xml version='1.0'?><html>x</html>", "text/xml", "/", "html"),
        (b"<?xml version='1.0'?><rss/>", "", "/", "xml"),
        (b"<rss/>", "application/rss+xml", "/", "xml"),
        (b'{"a": 1}', "application/problem+json", "/", "json"),
        (b'{"a": 1}', "application/vnd.api+json; charset=utf-8", "/", "json"),
        (b'{"a": 1}', "text/html", "/", "json"),
        (b'{"a": 1}', "", "/", "json"),
        (b'{"a": 1}', "text/plain", "/data.json", "json"),
        (b'{"a": 1}', "text/plain", "/", "text"),
        (b'{"a":1}\n{"a":2}', "application/x-ndjson", "/", "jsonl"),
        (b"a,b\n1,2", "text/csv", "/", "csv"),
        (b"a,b\n1,2", "application/octet-stream", "/x.csv", "csv"),
        (b"# Title", "text/markdown", "/", "markdown"),
        (b"# Title", "text/plain", "/README.md", "markdown"),
        (b"key: value", "application/yaml", "/", "text"),
        (b"key: value", "application/x-yaml", "/", "text"),
        (b"words", None, "/", "text"),
        ("grüß".encode("utf-16"), "text/plain", "/", "text"),
        ("grüß".encode("utf-16-le"), "text/plain; charset=utf-16le", "/", "text"),
        (b"a\x00b " * 3 + b"words " * 50, "text/html", "/", "html"),
    ],
)
def test_the_bytes_decide_then_the_header_then_the_name(
    body: bytes, content_type: str | None, path: str, kind: str
) -> None:
    assert detect(body, content_type or "", path) == kind


@pytest.mark.parametrize(
    "content_type",
    [
        "text/html,",
        "text/html, text/html",
        "text/html charset=utf-8",
        "text/html;;charset=utf-8",
        "text/html;charset=utf-8;",
        " ; , TEXT/HTML ,;",
        "text/html:charset=utf-8",
        '"text/html"',
        "text/plain, text/html; charset=utf-8",
        "text/html, */*",
    ],
)
def test_a_header_with_a_slip_in_it_still_names_a_type(web: Web, content_type: str) -> None:
    result = web.fetch(reply("Tea &amp; <b>grüße</b>", content_type), mode="full")
    assert result.meta["detected_type"] == "html"
    assert result.content == "Tea & **grüße**"


def test_a_file_that_is_not_text_is_refused_in_every_mode(web: Web) -> None:
    for mode in ("auto", "article", "full", "text", "raw"):
        error = error_of(lambda m=mode: web.fetch(reply(PNG, "text/html"), mode=m))  # type: ignore[misc]
        assert error.code == "unsupported_type"


def test_a_page_without_a_type_is_read(web: Web) -> None:
    result = web.fetch(reply(article(PARAGRAPH, OTHER), None))
    assert result.meta["detected_type"] == "html"
    assert result.meta["content_type"] is None


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        ("a,b\n1,2\n", "text/csv", "csv"),
        ("# Title\n\n* x\n", "text/markdown", "markdown"),
        ("<rss><item>x</item></rss>", "application/rss+xml", "xml"),
        ("just\n  words\n", "text/plain", "text"),
    ],
)
def test_text_stays_as_it_is(web: Web, body: str, content_type: str, kind: str) -> None:
    result = web.fetch(reply(body, content_type))
    assert result.content == body
    assert result.meta["detected_type"] == kind
    assert result.meta["content_format"] == kind


@pytest.mark.parametrize("opening", ["<!---->", "<!-- x -->\n", "<?x?>", "<!--", "<?"])
def test_any_number_of_comments_before_a_page_is_passed_over_at_once(opening: str) -> None:
    started = time.process_time()
    assert detect(opening.encode() * 1000 + b"<p>hi</p>", "text/html", "/") == "html"
    assert time.process_time() - started < 1


def test_pages_of_what_is_no_pdf_are_ignored_with_a_warning(web: Web) -> None:
    assert warnings_of(web.fetch(reply("words", "text/plain"), pages="2")) == ["pages_ignored"]


def test_an_empty_body_is_empty_content(web: Web) -> None:
    assert error_of(lambda: web.fetch(reply(b" \n"))).code == "empty_content"
