"""From a page's bytes to a document, by type and mode."""

from __future__ import annotations

from typing import Any

from . import sniff
from .charset import Decoded, read_text
from .clock import Clock, conversion_clock
from .config import FetchConfig
from .data import read_values, written
from .document import Document
from .errors import fail
from .limits import MAX_INDENT_BYTES
from .meta import Meta
from .page import Page
from .plan import Plan
from .steps import step


class Opened:
    """A page whose type is known; HTML is parsed once, for its refresh and its text."""

    def __init__(self, page: Page, plan: Plan, config: FetchConfig, clock: Clock, meta: Meta):
        self.page = page
        with conversion_clock(config.convert_seconds, clock):
            self.type = sniff.detect(page.body, page.content_type, page.path)
        self._plan = plan
        self._config = config
        self._clock = clock
        self._meta = meta
        self._text: Decoded | None = None
        self._root: Any = None
        self._document: Document | None = None
        meta.set(detected_type=self.type)
        step("sniffed", type=self.type, said=page.content_type or "nothing")
        if self.type == "html" and plan.mode != "raw":
            self._parse()

    def refresh(self) -> tuple[float, str] | None:
        """Where a refresh leads that the header or a ``<meta>`` of a page asks for, and after how
        many seconds."""
        from .html.head import refresh

        if self._root is None:
            return None
        return refresh(self._root, self.page.url, self.page.refresh)

    def document(self) -> Document:
        """Readable text, made once. Raises :class:`FetchError`."""
        if self._document is None:
            self._document = self._made()
        return self._document

    def _made(self) -> Document:
        plan, meta = self._plan, self._meta
        if plan.pages is not None and self.type != "pdf":
            meta.warn("pages_ignored", "the document is not a PDF, so pages has no meaning")
        if self.type == "binary" or (self.type == "pdf" and plan.mode == "raw"):
            raise fail(
                "unsupported_type",
                "the URL leads to a file that is not text",
                "HTML, PDF, JSON and text can be read"
                if self.type == "binary"
                else "leave out mode raw to read the text of the PDF",
            )
        with conversion_clock(self._config.convert_seconds, self._clock):
            return self._converted()

    def _converted(self) -> Document:
        mode, meta = self._plan.mode, self._meta
        if self.type == "pdf":
            from .pdf import read_pdf

            meta.set(mode_used="text")
            return read_pdf(
                self.page.body,
                self._plan.pages,
                marked=mode != "text",
                config=self._config,
                meta=meta,
            )
        text = self.text()
        if mode == "raw":
            meta.set(mode_used="raw")
            return Document(text, self.type)
        if self.type == "html":
            return self._html(text)
        meta.set(mode_used="text")
        small = len(self.page.body) <= MAX_INDENT_BYTES
        if self.type == "json" and small and not self._plan.jq:
            meta.set(extractor="json")
            return _indented(text, meta)
        return Document(text, self.type)

    def _html(self, text: str) -> Document:
        from .html.convert import convert_html  # a large import that other types do not need

        try:
            return convert_html(self._root, text, self.page.url, self._plan.mode, self._meta)
        except RecursionError:
            raise fail("too_complex", "the page is nested too deeply", "ask for mode raw") from None

    def text(self) -> str:
        """The body as text."""
        if self._text is None:
            self._text = read_text(
                self.page.body,
                self.page.content_type,
                html=self.type == "html",
                warn=self._meta.warn,
            )
            self._meta.set(charset=self._text.charset, charset_source=self._text.source)
            step("read", charset=self._text.charset, by=self._text.source)
        return self._text.text

    def _parse(self) -> None:
        from .html.tree import parse

        size = len(self.page.body)
        if size > self._config.max_html_bytes:
            raise fail(
                "too_large",
                f"the page has {size} bytes of HTML, too many to convert",
                "mode raw gives its source; the operator can raise SIFT_FETCH['MAX_HTML_BYTES']",
            )
        with conversion_clock(self._config.convert_seconds, self._clock):
            self._root = parse(self.text())


def _indented(text: str, meta: Meta) -> Document:
    try:
        read = read_values(text)
    except Exception as bad:
        if getattr(bad, "code", "") != "not_json":
            raise
        meta.warn("broken_json", f"this JSON is as it was sent, for it cannot be read: {bad}")
        return Document(text, "text")
    meta.warn_all([w for w in read.warnings() if w[0] != "number_precision"])
    return Document(*written(read.values))
