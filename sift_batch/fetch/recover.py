"""An archived copy in place of a page that is gone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote

import httpx2

from batch.errors import FetchError

from .address import join_url, masked, parse_url
from .clock import Clock
from .codes import NO_COPY
from .config import FetchConfig
from .errors import RECOVER_HINT
from .limits import MAX_ARCHIVE_REDIRECTS, MAX_CAPTURES, MAX_CDX_BYTES
from .meta import Meta, iso
from .page import Page, page_of, unpacked
from .session import REDIRECTS, Reply, Session

T = TypeVar("T")

_STAMP = re.compile(r"[0-9]{14}")
_SNAPSHOT = re.compile(r"/web/([0-9]{14})(?:[a-z]{2}_)?/(.+)\Z")
_DEFAULT_PORT = re.compile(r"\A([^/?#]*):(?:80|443)(?=[/?#]|\Z)")


@dataclass(frozen=True)
class _Capture:
    timestamp: str
    url: str


def recovered(
    url: httpx2.URL,
    live: FetchError,
    config: FetchConfig,
    clock: Clock,
    meta: Meta,
    read: Callable[[Page], T],
) -> T:
    """What ``read`` makes of the newest copy that can be read.

    Raises its error for the newest one where none can, and ``live`` with a hint about the archive
    where there is none.
    """
    archive = _Archive(config, clock)
    asked = masked(str(url.copy_with(fragment=None)))
    known = live.meta or {}
    before = meta.facts()
    newest: tuple[FetchError, dict[str, Any]] | None = None
    for capture in archive.captures(asked)[:MAX_CAPTURES]:
        page = archive.page(capture, asked, meta)
        if page is None:
            continue
        meta.set(
            recovered=True,
            live_error={
                "code": live.code,
                "message": live.message,
                "status_code": known.get("status_code"),
            },
            final_url=known.get("final_url") or asked,
            redirects=known.get("redirects") or [],
            status_code=known.get("status_code"),
            attempts=known.get("attempts"),
        )
        try:
            return read(page)
        except FetchError as error:
            if error.code not in NO_COPY:
                raise
            newest = newest or (error, meta.facts())
            meta.go_back(before)
    if newest is not None:
        unreadable, facts = newest
        meta.go_back(facts)
        raise unreadable
    hint = (
        "the archive could not be asked; try again later"
        if archive.down
        else "the archive has no copy of it either"
    )
    said = live.hint.removesuffix(RECOVER_HINT)
    live.hint = f"{said}; {hint}" if said else hint
    live.meta = {**known, "recover_tried": True}
    raise live


class _Archive:
    """One Wayback machine, asked for one URL."""

    def __init__(self, config: FetchConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._base = config.archive_url.rstrip("/")
        self.down = False
        """Whether a request failed, so that no copy does not mean that there is none."""

    def captures(self, url: str) -> list[_Capture]:
        """What the archive has of ``url``, newest first, under https and http."""
        rest = url.partition("://")[2]
        found: set[tuple[str, str]] = set()
        for scheme in ("https", "http"):
            query = (
                f"{self._base}/cdx/search/cdx?url={quote(f'{scheme}://{rest}', safe='')}"
                f"&output=json&fl=timestamp,original&filter=statuscode:200&limit=-{MAX_CAPTURES}"
            )
            reply = self._get(query)
            if reply is not None:
                # Some archives answer with what is near as well, which is another page.
                found.update(
                    row for row in self._rows(reply) if _comparable(row[1]) == _comparable(url)
                )
        return [_Capture(*row) for row in sorted(found, reverse=True)]

    def page(self, capture: _Capture, url: str, meta: Meta) -> Page | None:
        """A capture's page, or None when the archive does not give it."""
        address = f"{self._base}/web/{capture.timestamp}id_/{capture.url}"
        for _ in range(MAX_ARCHIVE_REDIRECTS + 1):
            reply = self._get(address)
            if reply is None:
                return None
            if reply.status in REDIRECTS:
                further = self._other_timestamp(reply, url)
                if further is None:
                    return None
                address = further
                continue
            served = _SNAPSHOT.search(address)
            moment = _moment(served[1]) if served else None
            if reply.status != 200 or moment is None:
                return None
            warnings: list[tuple[str, str]] = []
            try:
                body = unpacked(
                    reply, self._config, self._clock, lambda *w, to=warnings: to.append(w)
                )
            except FetchError:
                return None
            meta.warn_all(warnings)
            meta.set(archived_at=iso(moment), archive_url=masked(address))
            return page_of(reply, body, meta, url=url)
        return None

    def _get(self, address: str) -> Reply | None:
        """One answer, redirects and error statuses included; None when there is none."""
        limit = MAX_CDX_BYTES if "/cdx/" in address else self._config.max_body_bytes
        try:
            with Session(self._config, self._clock) as session:
                reply = session.get_one(parse_url(address), max_bytes=limit)
        except FetchError:
            self.down = True
            return None
        if reply.status == 429 or reply.status >= 500:
            self.down = True
            return None
        return reply

    def _rows(self, reply: Reply) -> list[tuple[str, str]]:
        if reply.status != 200:
            self.down = True
            return []
        try:
            body = unpacked(reply, self._config, self._clock, lambda *_: None)
            return _captures(json.loads(body))
        except FetchError as error:
            # An empty body is how some archives say that there are no captures.
            self.down = self.down or error.code != "empty_content"
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            self.down = True
        return []

    def _other_timestamp(self, reply: Reply, url: str) -> str | None:
        """Where a redirect leads, when that is another copy of the same URL."""
        location = reply.headers.get("location", "")
        try:
            target = str(join_url(reply.url, location))
        except FetchError:
            return None
        match = _SNAPSHOT.search(target)
        if match is None or not target.startswith(f"{self._base}/web/"):
            return None
        if _comparable(match[2]) != _comparable(url):
            return None
        return f"{self._base}/web/{match[1]}id_/{match[2]}"


def _captures(rows: list[list[str]]) -> list[tuple[str, str]]:
    """Timestamp and URL of each good row. The first row names the columns, which an archive
    may give in another order, and more of them than it was asked for."""
    if not rows:
        return []
    at = {name: column for column, name in enumerate(rows[0])}
    stamp, url, status = at.get("timestamp", 0), at.get("original", 1), at.get("statuscode")
    needed = max(stamp, url, status or 0)
    good = []
    for row in rows[1:]:
        if not isinstance(row, list) or len(row) <= needed:
            continue
        if status is not None and str(row[status]) != "200":
            continue
        if _moment(row[stamp]) and str(row[url]).startswith(("http://", "https://")):
            good.append((row[stamp], row[url]))
    return good


def _moment(stamp: Any) -> datetime | None:
    """The moment that an archive's timestamp names, None when it names none."""
    if not isinstance(stamp, str) or _STAMP.fullmatch(stamp) is None:
        return None
    try:
        return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _comparable(url: str) -> str:
    """What the spellings of one URL have in common."""
    url = masked(url)
    with suppress(FetchError):
        url = str(parse_url(url))
    rest = url.partition("://")[2] or url
    rest = _DEFAULT_PORT.sub(r"\1", rest).removeprefix("www.").lower()
    place, _, query = rest.partition("?")
    # An archive's own key has the parts of a query in order, whatever the page's address had.
    return "?".join((place.rstrip("/"), "&".join(sorted(filter(None, query.split("&"))))))
