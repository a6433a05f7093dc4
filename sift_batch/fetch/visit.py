"""Visiting a URL: the live page, one refresh further, or an archived copy."""

from __future__ import annotations

import httpx2

from batch.errors import FetchError

from .address import join_url, masked
from .clock import Clock
from .codes import GONE
from .config import FetchConfig
from .errors import blocked
from .limits import LIVE_SHARE_WITH_RECOVER, MAX_META_REFRESH_SECONDS
from .meta import Meta
from .page import Before, Page, get_page
from .plan import Plan
from .read import Opened
from .recover import recovered
from .robots import Robots
from .session import Session
from .steps import step


def visit(url: httpx2.URL, plan: Plan, config: FetchConfig, clock: Clock, meta: Meta) -> Opened:
    """The page behind ``url``, its type known. Raises :class:`FetchError`."""
    live_clock = clock.share(LIVE_SHARE_WITH_RECOVER) if plan.recover else clock
    try:
        with Session(config, live_clock) as session:
            before = Robots(config, live_clock).check if config.robots else None
            return _live(url, plan, config, session, (live_clock, clock), meta, before)
    except FetchError as error:
        if not plan.recover or error.code not in GONE:
            raise
        step("gone", code=error.code)

        def read(page: Page) -> Opened:
            step("recovered", archived_at=meta.get("archived_at"), url=masked(page.url))
            opened = Opened(page, plan, config, clock, meta)
            opened.document()  # a copy that cannot be read gives way to an older one
            return opened

        return recovered(url, error, config, clock, meta, read)


def _live(
    url: httpx2.URL,
    plan: Plan,
    config: FetchConfig,
    session: Session,
    clocks: tuple[Clock, Clock],
    meta: Meta,
    before: Before | None,
) -> Opened:
    """The page, or the one that its refresh leads to: one step, no more.

    The first of the ``clocks`` is for asking, the second for reading what came.
    """
    asking, clock = clocks
    page = get_page(url, session, config, asking, meta, before=before)
    opened = Opened(page, plan, config, clock, meta)
    refresh = opened.refresh()
    if refresh is None:
        return opened
    seconds, target = refresh
    step("meta_refresh", after_seconds=seconds, followed=seconds <= MAX_META_REFRESH_SECONDS)
    if seconds > MAX_META_REFRESH_SECONDS:
        meta.warn("meta_refresh_ignored", "the page leads to another one after a while")
        return opened
    final_url = httpx2.URL(page.url)
    hop = {"status": meta.get("status_code"), "url": meta.get("final_url")}
    meta.forget_page()
    meta.set(redirects=[*meta.get("redirects"), hop])
    try:
        further = get_page(
            join_url(final_url, target), session, config, asking, meta, before=before
        )
    except FetchError as error:
        if error.code == "blocked_address":
            known = error.meta
            error = blocked(redirect=True)
            error.meta = known
        raise error from None
    opened = Opened(further, plan, config, clock, meta)
    if opened.refresh() is not None:
        meta.warn("meta_refresh_ignored", "the page leads to yet another one")
    return opened
