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
from .steps import step
from .visit import visit

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def fetch_target(config: FetchConfig, context: FetchContext, target: Target) -> Result:
    """The text behind a URL, narrowed by its options. Raises :class:`FetchError`."""
    meta = Meta(target.url)
    clock = Clock(config.total_seconds, context.deadline)
    try:
        plan = _plan(target)
        url = parse_url(target.url)
        step("checked", mode=plan.mode, host=url.host, seconds=round(clock.remaining(), 1))
        page = visit(url, plan, config, clock, meta)  # guard -> get -> decode -> sniff
        document = page.document()  # convert, by mode and pages
        _converted(document, meta)
        with conversion_clock(config.convert_seconds, clock):
            if plan.jq:
                document = run_jq(plan.jq, document.content, clock, meta)
                step("jq", outputs=meta.get("jq_outputs"), format=document.format)
            if plan.pattern is not None:
                document = grep(document, plan.pattern, context=plan.context, meta=meta)
                step("grep", matches=meta.get("grep_matches"), chars=len(document.content))
            if plan.question:
                document = answer(document, plan.question, config, meta)
                found = meta.get("passages")
                step("question", passages=len(found), chars=len(document.content))
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


def _converted(document: Document, meta: Meta) -> None:
    step(
        "converted",
        mode=meta.get("mode_used"),
        extractor=meta.get("extractor"),
        format=document.format,
        chars=len(document.content),
        pages=len(document.pages) if document.pages else None,
    )


def _result(document: Document, config: FetchConfig, meta: Meta) -> Result:
    content = _UNSTORABLE.sub("\ufffd", document.content)
    if len(content) > config.max_content_chars:
        content = content[: config.max_content_chars]
        meta.truncate("content_limit")
    step("capped", chars=len(content), truncated=meta.get("truncated_reason") or "no")
    meta.set(content_format=document.format)
    return Result(content, meta.result(content))
