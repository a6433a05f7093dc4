"""One input: a document whose last bytes choose how it is served and what is asked of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from batch.errors import FetchError
from batch.types import Options
from sift_batch.fetch.clock import Clock, conversion_clock
from sift_batch.fetch.codes import ERROR_CODES, WARNING_CODES
from sift_batch.fetch.config import FetchConfig
from sift_batch.fetch.data import read_values
from sift_batch.fetch.grep import grep
from sift_batch.fetch.meta import Meta
from sift_batch.fetch.page import Page
from sift_batch.fetch.plan import MODES, Plan
from sift_batch.fetch.question import answer
from sift_batch.fetch.read import Opened

TYPES = (
    "", "text/html", "text/html; charset=utf-8", "text/html; charset=shift_jis", "text/plain",
    "application/json", "application/x-ndjson", "application/pdf", "application/xhtml+xml",
    "application/xml", "text/markdown", "text/csv", "application/octet-stream",
    "text/html; charset=utf-16", "text/plain; charset=gbk", "image/png",
)  # fmt: skip
PATHS = ("/", "/a.html", "/a.json", "/a.pdf", "/a.md", "/a.csv", "/a.xml", "/a.jsonl")
GREPS = ("", "a", "(?i)the", r"^\s*\S")
QUESTIONS = ("", "What are the fees?", "退款政策是什么")
PAGES = ("", "1", "2-", "1,3-4")
LIMIT_SECONDS = 10.0
CONTROL_BYTES = 6

_CONFIG = FetchConfig(max_pages=5, convert_seconds=LIMIT_SECONDS)


class Finding(Exception):
    """Something that must not happen, whatever the document is."""


@dataclass(frozen=True)
class Case:
    body: bytes
    content_type: str
    path: str
    options: Options

    @classmethod
    def of(cls, data: bytes) -> Case:
        body, control = data[:-CONTROL_BYTES], data[-CONTROL_BYTES:].ljust(CONTROL_BYTES, b"\0")
        mode = MODES[control[0] % len(MODES)]
        return cls(
            body,
            TYPES[control[1] % len(TYPES)],
            PATHS[control[2] % len(PATHS)],
            Options(
                mode=mode,
                grep=GREPS[control[3] % len(GREPS)],
                context=bool(control[3] & 0x80),
                question=QUESTIONS[control[4] % len(QUESTIONS)],
                pages="" if mode == "raw" else PAGES[control[5] % len(PAGES)],
            ),
        )


def read(data: bytes) -> None:
    """Sniffs, decodes, converts and narrows. Raises whatever is no :class:`FetchError`."""
    case = Case.of(data)
    started = time.monotonic()
    try:
        _narrowed(case)
    except FetchError as error:
        if error.code not in ERROR_CODES or error.code == "internal":
            raise Finding(f"the code {error.code!r}") from error
    seconds = time.monotonic() - started
    if seconds >= LIMIT_SECONDS:
        raise Finding(f"it took {seconds:.1f} s")


def _narrowed(case: Case) -> None:
    clock = Clock(10 * LIMIT_SECONDS)
    meta = Meta("http://page.test/")
    plan = Plan.of(case.options)
    page = Page("http://page.test/dir/page", case.path, case.content_type, case.body)
    opened = Opened(page, plan, _CONFIG, clock, meta)
    opened.refresh()
    document = opened.document()
    document.content.encode("utf-8", "surrogatepass")
    if document.format in ("json", "jsonl"):
        read_values(document.content)  # what is called JSON has to be some
    with conversion_clock(LIMIT_SECONDS, clock):
        if plan.pattern is not None:
            document = grep(document, plan.pattern, context=plan.context, meta=meta)
        if plan.question:
            document = answer(document, plan.question, _CONFIG, meta)
    unknown = {warning["code"] for warning in meta.get("warnings")} - WARNING_CODES
    if unknown:
        raise Finding(f"warnings of no known code: {unknown}")
