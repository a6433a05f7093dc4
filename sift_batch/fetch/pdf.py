"""The text of a PDF, page by page."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .config import FetchConfig
from .document import Document
from .errors import fail
from .meta import Meta
from .pages import PageRange, ranges

_one_at_a_time = threading.Lock()
"""pdfium is not thread-safe: one document at a time in a process."""
_ENCRYPTED = (4, 5)  # pdfium's error codes: a password is missing, a protection is unknown to it
_MAX_SAID_CHARS = 500
_SOFT_BREAK = re.compile("[\ufffe\x02\u00ad]\n?")


def read_pdf(
    body: bytes, wanted: PageRange | None, *, marked: bool, config: FetchConfig, meta: Meta
) -> Document:
    """The pages that were asked for, at most ``max_pages``.

    Raises ``pdf_broken``, ``pdf_encrypted``, ``page_out_of_range`` or ``pdf_no_text``.
    """
    with _one_at_a_time, _opened(body) as pdf:
        count = len(pdf)
        meta.set(page_count=count, extractor="pdfium")
        meta.set(title=_said(pdf, "Title"), author=_said(pdf, "Author"))
        chosen = _chosen(count, wanted, meta)
        rest = chosen[config.max_pages :]
        chosen = chosen[: config.max_pages]
        texts = [_text(pdf, number) for number in chosen]
        if all(text is None for text in texts):
            raise _broken()
    pages = [(number, text or "") for number, text in zip(chosen, texts, strict=True)]
    empty = [number for number, text in pages if not text]
    if len(empty) == len(pages):
        raise _no_text(empty, count)
    if empty:
        meta.warn("pages_without_text", f"no text on page {ranges(empty)}")
    if _is_right_to_left("".join(text for _, text in pages)):
        meta.warn(
            "right_to_left_pdf", "the order of right-to-left text in a PDF is not always right"
        )
    meta.set(pages_returned=ranges(chosen))
    if rest:
        open_end = wanted is None or rest == list(range(rest[0], count + 1))
        meta.set(next_pages=f"{rest[0]}-" if open_end else ranges(rest))
        meta.truncate("page_limit")
    return Document.of_pages(pages, marked=marked)


@contextmanager
def _opened(body: bytes) -> Iterator[Any]:
    import pypdfium2  # loads a large library, which a process without PDFs does not need

    try:
        pdf = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as bad:
        if bad.err_code in _ENCRYPTED:
            raise fail(
                "pdf_encrypted",
                "the PDF can only be opened with a password",
                "look for a version without a password",
            ) from None
        raise _broken() from None
    try:
        if not len(pdf):
            raise _broken()
        yield pdf
    except (pypdfium2.PdfiumError, AssertionError, ValueError):
        raise _broken() from None
    finally:
        pdf.close()


def _chosen(count: int, wanted: PageRange | None, meta: Meta) -> list[int]:
    if wanted is None:
        return list(range(1, count + 1))
    chosen = wanted.within(count)
    if not chosen:
        pages = "1 page" if count == 1 else f"{count} pages"
        raise fail(
            "page_out_of_range",
            f"the PDF has {pages}, none of those asked for",
            f"ask for pages from 1 to {count}",
            page_count=count,
        )
    if wanted.reaches_past(count):
        meta.warn("pages_beyond_end", f"the PDF ends with page {count}")
    return chosen


def _text(pdf: Any, number: int) -> str | None:
    """A page's text, None when the page is damaged."""
    import pypdfium2

    try:
        page = pdf[number - 1]
    except pypdfium2.PdfiumError:
        return None  # the other pages of the document can still be read
    try:
        textpage = page.get_textpage()
        try:
            text = str(textpage.get_text_bounded())
        finally:
            textpage.close()
    finally:
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _SOFT_BREAK.sub("", text).replace("\x00", "")
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _said(pdf: Any, key: str) -> str | None:
    """What the document says of itself, on one line."""
    try:
        text = str(pdf.get_metadata_value(key))
    except UnicodeDecodeError:  # half a surrogate pair
        return None
    return " ".join(text.replace("\x00", " ").split())[:_MAX_SAID_CHARS] or None


def _is_right_to_left(text: str) -> bool:
    sample = text[:2000]
    found = sum(unicodedata.bidirectional(char) in ("R", "AL") for char in sample)
    return found * 4 > len(sample) > 0


def _no_text(empty: list[int], count: int) -> Exception:
    if len(empty) < count:
        return fail(
            "pdf_no_text",
            f"no text on page {ranges(empty)}; the rest of the PDF's {count} pages was not read",
            "ask for other pages, or run text recognition (OCR) on these elsewhere",
            page_count=count,
        )
    return fail(
        "pdf_no_text",
        f"no text on {'any page' if count > 1 else 'its page'}: the PDF seems to be a scan",
        "run text recognition (OCR) on it elsewhere, or look for another version",
        page_count=count,
    )


def _broken() -> Exception:
    return fail(
        "pdf_broken",
        "the PDF is damaged and cannot be read",
        "download it in a browser to see whether it opens; look for another version",
    )
