"""Getting a page: asked for, tried again, unpacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from batch.errors import FetchError

from .address import masked, port_of
from .clock import Clock
from .config import FetchConfig
from .decode import decoded
from .errors import fail, status_error
from .meta import Meta, iso
from .retry import retry_after, with_retries
from .session import Reply, Session
from .steps import step

Before = Callable[[httpx2.URL], None]


@dataclass(frozen=True)
class Page:
    """A body that can be read, and where it came from.

    ``url`` is what its relative links are relative to, ``refresh`` the header of that name.
    """

    url: str
    path: str
    content_type: str
    body: bytes
    refresh: str = ""


def get_page(
    url: httpx2.URL,
    session: Session,
    config: FetchConfig,
    clock: Clock,
    meta: Meta,
    *,
    before: Before | None = None,
) -> Page:
    """The page behind ``url``. Raises :class:`FetchError`; what is known goes to ``meta``."""

    def attempt() -> tuple[Reply, bytes, list[tuple[str, str]]]:
        reply = session.get(url, max_bytes=config.max_body_bytes, before=before)
        step(
            "answered",
            status=reply.status,
            url=masked(str(reply.url)),
            redirects=len(reply.redirects),
            wire_bytes=len(reply.wire),
        )
        check_status(reply)
        warnings: list[tuple[str, str]] = []
        try:
            body = unpacked(reply, config, clock, lambda *warning: warnings.append(warning))
        except FetchError as error:
            error.meta = {**known(reply), **(error.meta or {})}
            raise
        return reply, body, warnings

    earlier = meta.get("attempts") or 0
    try:
        (reply, body, warnings), tries = with_retries(
            attempt, attempts=config.attempts, clock=clock, host=f"{url.host}:{port_of(url)}"
        )
    except FetchError as error:
        way = (error.meta or {}).get("redirects") or []
        error.meta = {**(error.meta or {}), "redirects": [*meta.get("redirects"), *way]}
        raise
    meta.warn_all(warnings)
    meta.set(
        attempts=earlier + tries,
        redirects=[*meta.get("redirects"), *reply.redirects],
        final_url=masked(str(reply.url)),
        status_code=reply.status,
    )
    return page_of(reply, body, meta)


def check_status(reply: Reply) -> None:
    """Raise what the status stands for."""
    error = status_error(reply.status, reply.headers, retry_after(reply.headers))
    if error is not None:
        error.meta = {**known(reply), **(error.meta or {})}
        raise error


def known(reply: Reply) -> dict[str, Any]:
    """What a failure after the answer came can tell about it."""
    return {
        "status_code": reply.status,
        "final_url": masked(str(reply.url)),
        "redirects": list(reply.redirects),
    }


def unpacked(
    reply: Reply, config: FetchConfig, clock: Clock, warn: Callable[[str, str], None]
) -> bytes:
    """The body without its Content-Encoding."""
    body = decoded(
        reply.wire,
        reply.headers.get("content-encoding", ""),
        max_bytes=config.max_decoded_bytes,
        clock=clock,
        warn=warn,
    )
    step("decoded", encoding=reply.headers.get("content-encoding") or "none", bytes=len(body))
    if not body.strip():
        raise fail(
            "empty_content",
            "the server answered with an empty page",
            "check the URL in a browser",
            status_code=reply.status,
            final_url=masked(str(reply.url)),
        )
    return body


def _moment(text: str | None) -> str | None:
    """An HTTP date as ISO 8601, None when it is none."""
    try:
        return iso(parsedate_to_datetime(text)) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def page_of(reply: Reply, body: bytes, meta: Meta, *, url: str = "") -> Page:
    """A page, its own facts told to ``meta``."""
    headers = reply.headers
    content_type = headers.get("content-type", "")
    meta.set_body(body, len(reply.wire))
    meta.set(
        content_type=content_type or None,
        etag=headers.get("etag"),
        last_modified=_moment(headers.get("last-modified")),
        fetched_at=iso(datetime.now(UTC)),
    )
    refresh = headers.get("refresh", "")
    return Page(url or str(reply.url), reply.url.path, content_type, body, refresh)
