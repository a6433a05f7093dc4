"""PDFs made by other programs, and PDFs that lie about themselves.

The files in ``pdf_files`` were made once. The encrypted ones and the linearized one::

    from pikepdf import Encryption, open  # pikepdf 10.18.0
    for name, user in (("password", "secret"), ("owner_only", "")):
        with open(BytesIO(pdfs.pdf("first page", "second page", title="Kept"))) as file:
            file.save(f"aes256_{name}.pdf", encryption=Encryption(user=user, owner="owner", R=6))
    file.save("linearized.pdf", linearize=True)  # of the same PDF

The Arabic one::

    from fpdf import FPDF  # fpdf2 2.8.9 with uharfbuzz
    file = FPDF()
    file.add_page()
    file.add_font("D", fname="DejaVuSans.ttf")
    file.set_font("D", size=14)
    file.set_text_shaping(True, direction="rtl", script="arab", language="ara")
    for line in (...):
        file.cell(0, 10, line, align="R", new_x="LMARGIN", new_y="NEXT")
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest

from .kit import Web, error_of, reply, warnings_of
from .pdfs import file, pdf

FILES = Path(__file__).parent / "pdf_files"
TYPE = "application/pdf"
THREE = pdf("first", "second", "third", title="Title")
CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
WORDS = b"BT /F1 12 Tf 50 780 Td (words) Tj ET"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
    b" /Resources << /Font << /F1 5 0 R >> >> >>"
)


def get(web: Web, body: bytes, **options: Any) -> Any:
    return web.fetch(reply(body, TYPE), **options)


def stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(data), data)


def changed(old: bytes, new: bytes) -> bytes:
    """The PDF of three pages with some of its bytes changed."""
    assert old in THREE
    return THREE.replace(old, new)


def built(kids: bytes, count: int, page: bytes = PAGE, content: bytes = b"") -> bytes:
    """A PDF whose object 3 is a page and whose tree is what it is said to be."""
    tree = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids)
    return file([CATALOG, tree, page, content or stream(WORDS), FONT], b"/Root 1 0 R")


def test_aes_256_with_a_password_is_told_as_such(web: Web) -> None:
    body = (FILES / "aes256_password.pdf").read_bytes()
    error = error_of(lambda: get(web, body))
    assert error.code == "pdf_encrypted"
    assert "password" in error.hint


def test_aes_256_that_only_keeps_from_changing_is_read(web: Web) -> None:
    result = get(web, (FILES / "aes256_owner_only.pdf").read_bytes(), mode="text")
    assert result.content == "first page\n\nsecond page"
    assert result.meta["title"] == "Kept"


@pytest.mark.parametrize("encryption", [b"/Filter /Foo", b"/Filter /Standard /V 9 /R 9"])
def test_a_protection_of_an_unknown_kind_is_told_as_one(web: Web, encryption: bytes) -> None:
    body = changed(b"/Root 1 0 R", b"/Root 1 0 R /Encrypt << %s >>" % encryption)
    assert error_of(lambda: get(web, body)).code == "pdf_encrypted"


def test_an_arabic_pdf_is_read_with_a_warning_about_its_order(web: Web) -> None:
    result = get(web, (FILES / "arabic.pdf").read_bytes(), mode="text")
    lines = result.content.split("\n")
    assert lines[0].startswith("اجتمعت اللجنة يوم")
    assert lines[1] == "وقررت إعادة بناء الجسر القديم"
    assert len(lines) == 3
    assert warnings_of(result) == ["right_to_left_pdf"]


def test_a_linearized_pdf_is_read_and_one_that_is_cut_is_broken(web: Web) -> None:
    body = (FILES / "linearized.pdf").read_bytes()
    assert get(web, body).meta["page_count"] == 2
    assert error_of(lambda: get(web, body[: len(body) // 2])).code == "pdf_broken"


def test_a_pdf_without_pages_is_broken(web: Web) -> None:
    assert error_of(lambda: get(web, built(b"", 0))).code == "pdf_broken"


def test_pages_that_cannot_be_loaded_cost_only_themselves(web: Web) -> None:
    result = get(web, changed(b"/Count 3", b"/Count 5"))
    assert "third" in result.content
    assert warnings_of(result) == ["pages_without_text"]
    assert "4-5" in result.meta["warnings"][0]["message"]
    error = error_of(lambda: get(web, changed(b"/Count 3", b"/Count 5"), pages="4"))
    assert error.code == "pdf_broken"


@pytest.mark.parametrize("count", [b"-3", b"2000000000", b"(three)"])
def test_a_count_of_pages_that_cannot_be_true_is_counted_anew(web: Web, count: bytes) -> None:
    assert get(web, changed(b"/Count 3", b"/Count " + count)).meta["page_count"] == 3


def test_a_page_tree_in_a_circle_ends(web: Web) -> None:
    assert "words" in get(web, built(b"2 0 R 3 0 R", 2)).content
    assert error_of(lambda: get(web, built(b"2 0 R", 5))).code == "pdf_broken"


def test_a_page_tree_as_deep_as_it_has_objects_ends(web: Web) -> None:
    depth = 3000
    nodes = [
        b"<< /Type /Pages /Count 1 /Kids [%d 0 R] /Parent %d 0 R >>" % (n + 3, n + 1)
        for n in range(depth)
    ]
    page = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 9 9] >>" % (depth + 1)
    body = file([CATALOG, *nodes, page], b"/Root 1 0 R")
    assert error_of(lambda: get(web, body)).code in ("pdf_broken", "pdf_no_text")


def test_ten_thousand_pages_are_read_from_where_it_was_asked(web: Web) -> None:
    body = pdf(*(f"number {n}" for n in range(1, 10_001)))
    result = get(web, body)
    assert result.meta["page_count"] == 10_000
    assert result.meta["next_pages"] == "51-"
    result = get(web, body, pages="9999-20000", mode="text")
    assert result.content == "number 9999\n\nnumber 10000"
    assert warnings_of(result) == ["pages_beyond_end"]


@pytest.mark.parametrize(
    "box",
    [b"", b"/MediaBox [0 0 0 0]", b"/MediaBox [600 800 0 0]", b"/MediaBox [0 0 9e30 9e30]",
     b"/MediaBox [/a (b) null true]", b"/MediaBox 5"],
)  # fmt: skip
def test_the_size_of_a_page_does_not_matter_to_its_text(web: Web, box: bytes) -> None:
    assert "second" in get(web, changed(b"/MediaBox [0 0 600 800]", box)).content


@pytest.mark.parametrize("font", [b"", b"/Font << /F1 99 0 R >>", b"/Font << /F1 null >>"])
def test_a_font_that_is_missing_costs_no_latin_text(web: Web, font: bytes) -> None:
    assert "second" in get(web, changed(b"/Font << /F1 3 0 R >>", font)).content


def test_text_in_a_font_without_a_key_to_its_letters_is_no_text(web: Web) -> None:
    body = changed(FONT, b"<< /Type /Font /Subtype /Type0 /BaseFont /X >>")
    assert error_of(lambda: get(web, body)).code == "pdf_no_text"


def test_a_page_that_unpacks_to_200_mb_is_read(web: Web) -> None:
    content = stream(zlib.compress(WORDS + b" " * 200_000_000), b"/Filter /FlateDecode")
    assert "words" in get(web, built(b"3 0 R", 1, content=content)).content


def test_a_title_that_cannot_be_stored_costs_nothing_but_itself(web: Web) -> None:
    assert get(web, changed(b"(Title)", b"<FEFFD800>")).meta["title"] is None
    assert get(web, changed(b"(Title)", b"(a\\000b)")).meta["title"] == "a b"
    long = get(web, changed(b"(Title)", b"(" + b"T" * 1_000_000 + b")"))
    assert len(long.meta["title"]) == 500
