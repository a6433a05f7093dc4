"""The text of PDFs, and the option pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from batch.types import Options, Target
from sift_batch.fetch import validate
from sift_batch.fetch.pages import parse_pages, ranges

from .kit import PARAGRAPH, Web, article, error_of, reply, warnings_of
from .pdfs import encryption, pdf, readable_but_protected

TYPE = "application/pdf"
THREE = pdf(
    "first page\nsecond line", "middle page", "last page", title="A (short) report", author="Ada"
)


def test_the_pages_of_a_pdf_are_text_with_a_line_before_each(web: Web) -> None:
    result = web.fetch(reply(THREE, TYPE))
    assert result.content == (
        "<!-- page 1 -->\nfirst page\nsecond line\n\n<!-- page 2 -->\nmiddle page\n\n"
        "<!-- page 3 -->\nlast page"
    )
    assert result.meta["page_count"] == 3
    assert result.meta["pages_returned"] == "1-3"
    assert result.meta["title"] == "A (short) report"
    assert result.meta["author"] == "Ada"
    assert result.meta["extractor"] == "pdfium"
    assert result.meta["detected_type"] == "pdf"


def test_text_mode_leaves_the_lines_out(web: Web) -> None:
    content = web.fetch(reply(THREE, TYPE), mode="text").content
    assert content == "first page\nsecond line\n\nmiddle page\n\nlast page"


@pytest.mark.parametrize(
    ("pages", "numbers"),
    [
        ("2", "2"),
        ("1-2", "1-2"),
        ("2-", "2-3"),
        ("3,1", "1,3"),
        ("1, 1 \u2013 2", "1-2"),
        ("1-3,2", "1-3"),
    ],
)
def test_the_pages_that_were_asked_for_come_in_order_each_once(
    web: Web, pages: str, numbers: str
) -> None:
    result = web.fetch(reply(THREE, TYPE), pages=pages)
    assert result.meta["pages_returned"] == numbers
    assert result.content.count("<!-- page") == len(parse_pages(numbers).within(3))


@pytest.mark.parametrize(
    "pages",
    ["0", "-3", "5-2", "1,,2", ",", "1-0", "\u0661", "1e2", "99999999999999999999", "a", "1-2-3",
     "-", "1," * 200 + "1", "1.5", "+1"],
)  # fmt: skip
def test_pages_that_make_no_sense_are_refused_at_submit(web: Web, pages: str) -> None:
    problems = validate([Target("http://a.test/", Options(pages=pages))])
    assert [(p.index, p.field, p.code) for p in problems] == [(0, "pages", "bad_pages")]
    assert error_of(lambda: web.fetch(reply(THREE, TYPE), pages=pages)).code == "bad_pages"


def test_pages_partly_past_the_end_are_clamped_with_a_warning(web: Web) -> None:
    result = web.fetch(reply(THREE, TYPE), pages="2-9")
    assert result.meta["pages_returned"] == "2-3"
    assert warnings_of(result) == ["pages_beyond_end"]


def test_pages_wholly_past_the_end_are_an_error_with_the_count(web: Web) -> None:
    for pages in ("7", "4-"):
        error = error_of(lambda p=pages: web.fetch(reply(THREE, TYPE), pages=p))  # type: ignore[misc]
        assert error.code == "page_out_of_range"
        assert "3 pages" in error.message
        assert error.meta is not None
        assert error.meta["page_count"] == 3


def test_a_long_pdf_stops_at_the_limit_and_says_where_to_go_on(web: Web) -> None:
    long = pdf(*(f"page {n}" for n in range(1, 8)))
    result = web.fetch(reply(long, TYPE), settings={"max_pages": 3})
    assert result.meta["pages_returned"] == "1-3"
    assert result.meta["next_pages"] == "4-"
    assert (result.meta["truncated"], result.meta["truncated_reason"]) == (True, "page_limit")
    result = web.fetch(reply(long, TYPE), settings={"max_pages": 2}, pages="1,3,5,6")
    assert result.meta["pages_returned"] == "1,3"
    assert result.meta["next_pages"] == "5-6"


def test_a_scan_is_no_silent_nothing(web: Web) -> None:
    for options in ({}, {"pages": "1-2"}):
        error = error_of(lambda o=options: web.fetch(reply(pdf("", ""), TYPE), **o))  # type: ignore[misc]
        assert error.code == "pdf_no_text"
        assert "seems to be a scan" in str(error)


def test_some_pages_without_text_are_a_warning(web: Web) -> None:
    result = web.fetch(reply(pdf("words", "", "words", ""), TYPE))
    assert warnings_of(result) == ["pages_without_text"]
    assert "2,4" in result.meta["warnings"][0]["message"]


def test_chosen_pages_without_text_do_not_make_the_whole_pdf_a_scan(web: Web) -> None:
    body = reply(pdf("words", "", "", "words"), TYPE)
    for pages in ("2-3", "3,2"):
        error = error_of(lambda p=pages: web.fetch(body, pages=p))  # type: ignore[misc]
        assert error.code == "pdf_no_text"
        assert str(error) == "no text on page 2-3; the rest of the PDF's 4 pages was not read"
        assert "other pages" in error.hint
    first = reply(pdf("", "words"), TYPE)
    error = error_of(lambda: web.fetch(first, settings={"max_pages": 1}))
    assert "no text on page 1;" in str(error)


def test_a_pdf_with_a_password_is_told_so(web: Web) -> None:
    secret = pdf("words", encrypted=encryption(b"secret"))
    assert error_of(lambda: web.fetch(reply(secret, TYPE))).code == "pdf_encrypted"


def test_a_pdf_that_only_its_owner_may_change_is_read(web: Web) -> None:
    assert "may be read" in web.fetch(reply(readable_but_protected("may be read"), TYPE)).content


@pytest.mark.parametrize("body", [THREE[:100], b"%PDF-1.7\nnothing more"])
def test_a_damaged_pdf_is_told_so(web: Web, body: bytes) -> None:
    assert error_of(lambda: web.fetch(reply(body, TYPE))).code == "pdf_broken"


def test_a_pdf_is_known_by_its_bytes(web: Web) -> None:
    assert "first page" in web.fetch(reply(THREE, "application/octet-stream")).content
    assert "first page" in web.fetch(reply(b"\n" * 500 + THREE, "text/html")).content
    login = reply(article(PARAGRAPH, PARAGRAPH.replace("town", "city")))
    assert "bridge" in web.fetch(login, "/report.pdf").content


def test_raw_has_no_pages_and_no_pdf(web: Web) -> None:
    problems = validate([Target("http://a.test/", Options(mode="raw", pages="1"))])
    assert [(p.field, p.code) for p in problems] == [("pages", "bad_pages")]
    assert error_of(lambda: web.fetch(reply(THREE, TYPE), mode="raw")).code == "unsupported_type"


def test_pdfs_read_side_by_side_are_never_mixed(web: Web) -> None:
    bodies = {f"/{n}": reply(pdf(*[f"document {n}"] * 5), TYPE) for n in range(4)}
    server = web.serve(bodies)

    def read(path: str) -> bool:
        content = web.fetch(server, path, mode="text").content
        return content == "\n\n".join([f"document {path[1:]}"] * 5)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, [*bodies] * 20))


@pytest.mark.parametrize(
    ("pages", "text"), [([], ""), ([3], "3"), ([1, 2, 3], "1-3"), ([1, 3, 4, 9], "1,3-4,9")]
)
def test_page_numbers_are_written_as_ranges(pages: list[int], text: str) -> None:
    assert ranges(pages) == text


def test_right_to_left_text_is_known_as_such() -> None:
    from sift_batch.fetch.pdf import _is_right_to_left

    assert _is_right_to_left("اجتمعت اللجنة يوم الثلاثاء")
    assert not _is_right_to_left("The committee met on Tuesday")
    assert not _is_right_to_left("")
