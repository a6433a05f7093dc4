"""Small pieces of HTML. Nearly all of what they show came from somebody else's page.

Each text goes through :func:`plain`, which escapes whatever it is given, also what claims to be
safe already. There is no inline style or script, so that a strict Content-Security-Policy holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from batch.admin.charts import NARROWEST

MAX_CONTENT_CHARS = 100_000  # of a target's content on its page; browsers choke on megabytes
MAX_JSON_CHARS = 20_000  # of details and options
MAX_VALUE_CHARS = 2_000  # of one value of meta
MAX_META_ROWS = 200
MAX_URL_CHARS = 5_000
NOTHING = "-"

LIST_URL_CHARS = 90
LIST_TEXT_CHARS = 200

_WEB = re.compile(r"https?://[^\s]", re.IGNORECASE)


def plain(text: object, limit: int = LIST_TEXT_CHARS) -> SafeString:
    """``text`` escaped, and cut at ``limit`` characters."""
    whole = str(text)
    return escape(whole if len(whole) <= limit else whole[: limit - 1] + "…")


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def badge(status: str) -> SafeString:
    return format_html('<span class="batch-badge batch-{}">{}</span>', plain(status), plain(status))


def inner_link(address: str, text: object) -> SafeString:
    """A link within the admin."""
    return format_html('<a href="{}">{}</a>', plain(address, MAX_URL_CHARS), plain(text))


def web_link(url: str, limit: int = MAX_URL_CHARS) -> SafeString:
    """A link to a page, if that is what ``url`` leads to; else its text alone."""
    shown = plain(url, limit)
    if not _WEB.match(url) or len(url) > MAX_URL_CHARS:
        return format_html('<span class="batch-url">{}</span>', shown)
    return format_html(
        '<a class="batch-url" href="{}" target="_blank" rel="noopener noreferrer nofollow"'
        ' title="{}">{}</a>',
        escape(url),
        escape(url),
        shown,
    )


def progress(total: int, done: int, failed: int, live: bool) -> SafeString:
    """A bar, and its numbers as text. What a job that ended left undone waits for nothing."""
    rest = "waiting" if live else "undone"
    parts = [("done", done - failed), ("failed", failed), (rest, total - done)]
    bar = format_html_join(
        "", '<rect class="batch-{}" x="{}" width="{}" height="8"></rect>', _segments(parts)
    )
    numbers = format_html_join(
        " ",
        '<span class="batch-{}">{} {}</span>',
        ((word, f"{number:,}", word) for word, number in parts if number),
    )
    return format_html(
        '<span class="batch-progress"><svg viewBox="0 0 100 8" preserveAspectRatio="none"'
        ' aria-hidden="true">{}</svg><span class="batch-numbers">{}</span></span>',
        bar,
        numbers,
    )


def _segments(parts: Iterable[tuple[str, int]]) -> list[tuple[str, str, str]]:
    """Class, start and width of each part that is there, in per cent of the bar."""
    there = [(word, number) for word, number in parts if number > 0]
    whole = sum(number for _, number in there) or 1
    widths = [max(NARROWEST, 100 * number / whole) for _, number in there]
    scale = 100 / (sum(widths) or 1)
    found, start = [], 0.0
    for (word, _), width in zip(there, widths, strict=True):
        found.append((word, f"{start:.2f}", f"{width * scale:.2f}"))
        start += width * scale
    return found


def pre(text: str, limit: int) -> SafeString:
    """``text`` as it is, up to ``limit`` characters, and how much is left out."""
    left = len(text) - limit
    note = (
        format_html(
            '<p class="batch-note">The first {} characters are shown; {} more are stored.</p>',
            f"{limit:,}",
            f"{left:,}",
        )
        if left > 0
        else ""
    )
    # HTML drops a line break that follows <pre>, so one is given to be dropped. Whoever has no
    # mouse scrolls in what has the focus.
    return format_html(
        '<pre class="batch-text" tabindex="0">\n{}</pre>{}', escape(text[:limit]), note
    )


def json_text(value: Any) -> SafeString:
    return pre(json.dumps(value, indent=2, ensure_ascii=False), MAX_JSON_CHARS)


def table(facts: Mapping[str, Any]) -> SafeString:
    """Keys and values, both from outside, side by side."""
    rows = format_html_join(
        "",
        '<tr><th scope="row">{}</th><td>{}</td></tr>',
        ((plain(key), _value(key, value)) for key, value in list(facts.items())[:MAX_META_ROWS]),
    )
    left = len(facts) - MAX_META_ROWS
    note = format_html('<p class="batch-note">{} more are stored.</p>', left) if left > 0 else ""
    return format_html('<table class="batch-facts"><tbody>{}</tbody></table>{}', rows, note)


def _value(key: str, value: Any) -> SafeString:
    if value is None:
        return format_html('<span class="quiet">{}</span>', "null")
    if isinstance(value, str):
        if key.lower().endswith("url"):
            return web_link(value, MAX_VALUE_CHARS)
        return plain(value, MAX_VALUE_CHARS)
    if isinstance(value, dict | list) and value:
        text = json.dumps(value, indent=2, ensure_ascii=False)
        return pre(text, MAX_VALUE_CHARS)
    return plain(json.dumps(value, ensure_ascii=False), MAX_VALUE_CHARS)
