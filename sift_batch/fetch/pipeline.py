"""The order of the pipeline.

pages, jq, grep and question narrow the text in that order; each sees what the one before left.
"""

from __future__ import annotations

import re

from batch.errors import FetchError
from batch.types import FetchContext, Result, Target

from .address import parse_url
from .clock import Clock, conversion_clock
from .config import FetchConfig
from .document import Document
from .errors import BadOption, fail
from .grep import grep
from .jq_run import run_jq
from .meta import Meta
from .plan import Plan
from .question import answer
from .visit import visit

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def fetch_target(config: FetchConfig, context: FetchContext, target: Target) -> Result:
    """The text behind a URL, narrowed by its options. Raises :class:`FetchError`."""
    meta = Meta(target.url)
    clock = Clock(config.total_seconds, context.deadline)
    try:
        plan = _plan(target)
        url = parse_url(target.url)
        page = visit(url, plan, config, clock, meta)  # guard -> get -> decode -> sniff
        document = page.document()  # convert, by mode and pages
        if plan.jq:
            document = run_jq(plan.jq, document.content, clock, meta)
        with conversion_clock(config.convert_seconds, clock):
            if plan.pattern is not None:
                document = grep(document, plan.pattern, context=plan.context, meta=meta)
            if plan.question:
                document = answer(document, plan.question, config, meta)
        if plan.context and plan.pattern is None:
            meta.warn("context_ignored", "context has no meaning without grep")
        return _result(document, config, meta)
    except FetchError as error:
        raise meta.failure(error) from None


def _plan(target: Target) -> Plan:
    try:
        return Plan.of(target.options)
    except BadOption as bad:
        raise fail(bad.code, bad.message, bad.hint) from None


def _result(document: Document, config: FetchConfig, meta: Meta) -> Result:
    content = _UNSTORABLE.sub("\ufffd", document.content)
    if len(content) > config.max_content_chars:
        content = content[: config.max_content_chars]
        meta.truncate("content_limit")
    meta.set(content_format=document.format)
    return Result(content, meta.result(content))
