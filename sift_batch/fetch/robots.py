"""robots.txt, where the operator wants it honoured."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx2

from batch.errors import FetchError

from .clock import Clock
from .config import FetchConfig
from .errors import fail
from .limits import MAX_ROBOTS_BYTES, MAX_ROBOTS_CACHE, ROBOTS_CACHE_SECONDS
from .page import unpacked
from .session import Session

_UNREADABLE = "unreadable"
_GUARD = ("blocked_address", "blocked_redirect")


class _Cache:
    """The rules of each origin, for a few minutes."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def get(self, origin: str) -> Any:
        with self._lock:
            until, rules = self._kept.get(origin, (0.0, None))
        return rules if until > time.monotonic() else None

    def set(self, origin: str, rules: Any) -> None:
        with self._lock:
            if len(self._kept) >= MAX_ROBOTS_CACHE:
                self._kept.clear()
            self._kept[origin] = (time.monotonic() + ROBOTS_CACHE_SECONDS, rules)


_cache = _Cache()


class Robots:
    """Asks an origin's rules before a page. Its requests pass the guard like any other."""

    def __init__(self, config: FetchConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock

    def check(self, url: httpx2.URL) -> None:
        """Raise ``robots_disallowed`` for a URL that may not be asked."""
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        rules = _cache.get(origin)
        if rules is None:
            rules = self._read(url.copy_with(raw_path=b"/robots.txt", fragment=None))
            _cache.set(origin, rules)
        if rules == _UNREADABLE:
            raise fail(
                "robots_disallowed",
                "the site's robots.txt could not be read, which counts as a refusal",
                "try again later",
            )
        if not rules.can_fetch(str(url), self._config.user_agent):
            raise fail(
                "robots_disallowed",
                "the site's robots.txt asks programs not to fetch this page",
                "look for another source, or ask the site's operator",
            )

    def _read(self, url: httpx2.URL) -> Any:
        from protego import Protego

        try:
            with Session(self._config, self._clock) as session:
                # Not MAX_ROBOTS_BYTES: of a larger file the beginning counts.
                reply = session.get(url, max_bytes=self._config.max_body_bytes, max_redirects=5)
            if 400 <= reply.status < 500:
                return Protego.parse("")
            if not 200 <= reply.status < 300:
                return _UNREADABLE
            body = b""
            if reply.wire:
                body = unpacked(reply, self._config, self._clock, lambda *_: None)
        except FetchError as error:
            if error.code in _GUARD and not (error.meta or {}).get("redirects"):
                raise  # the page's own address is refused
            if error.code == "empty_content":
                return Protego.parse("")
            self._clock.check()
            return _UNREADABLE
        # A byte order mark would hide the first line.
        return Protego.parse(body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace"))
