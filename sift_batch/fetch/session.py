"""The HTTP of one target: one cookie jar, redirects by hand, no connection kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any

import httpcore2
import httpx2

from batch.errors import FetchError

from .address import bad_redirect, join_url, masked
from .clock import Clock
from .config import FetchConfig
from .errors import blocked, fail
from .guard import Guard, tls_context
from .limits import MAX_REDIRECTS
from .steps import step
from .stream import lost

REDIRECTS = (301, 302, 303, 307, 308)
_NO_PAGE = (204, 205, 206)
"""Successes whose body is not what was asked for, if it comes at all."""
ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True)
class Reply:
    """A server's answer, its body as it was sent."""

    url: httpx2.URL
    status: int
    headers: httpx2.Headers
    wire: bytes
    redirects: tuple[dict[str, object], ...]


class _Transport(httpx2.HTTPTransport):
    """httpx2's transport over a pool of ours: behind the guard, HTTP/1.1, nothing kept."""

    def __init__(self, guard: Guard, ca_file: str) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=tls_context(ca_file),
            network_backend=guard,
            http1=True,
            http2=False,
            # Bytes after a short Content-Length would be read as the next answer.
            max_keepalive_connections=0,
        )


class _Sendable(DefaultCookiePolicy):
    """Keeps the cookies that can be sent on: a header is ASCII."""

    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        text = f"{cookie.name}={cookie.value}"
        return super().set_ok(cookie, request) and text.isascii() and text.isprintable()


class Session:
    """Asks servers for one target, within its clock. Close it with ``with``."""

    def __init__(self, config: FetchConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._guard = Guard(config, clock)
        self._client = httpx2.Client(
            cookies=CookieJar(_Sendable()),
            transport=_Transport(self._guard, config.ca_file),
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # the guard's streams end with the clock
            headers={
                "User-Agent": config.user_agent,
                "Accept": ACCEPT,
                "Accept-Encoding": "gzip, deflate, br, zstd",
                "Connection": "close",
            },
        )

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def get(
        self,
        url: httpx2.URL,
        *,
        max_bytes: int,
        max_redirects: int = MAX_REDIRECTS,
        before: Callable[[httpx2.URL], None] | None = None,
    ) -> Reply:
        """The answer at the end of the redirects. ``before`` is asked ahead of each request.

        Raises :class:`FetchError` with what is known of the way in its meta.
        """
        way: list[dict[str, object]] = []
        try:
            for _ in range(max_redirects + 1):
                if before is not None:
                    before(url)
                reply = self._ask(url, max_bytes, way)
                if reply.status not in REDIRECTS:
                    return reply
                way.append({"status": reply.status, "url": masked(str(url))})
                url = join_url(url, _location(reply.headers))
                step("redirected", status=reply.status, to=masked(str(url)))
        except FetchError as error:
            at = masked(str(url))
            if error.code in ("blocked_address", "blocked_redirect") and way:
                # Where the redirect leads is not for the caller to know.
                error, at = blocked(redirect=True), str(way[-1]["url"])
            meta = {"final_url": at, "redirects": way, **(error.meta or {})}
            error.meta = meta
            raise error from None
        looped = any(hop["url"] == masked(str(url)) for hop in way)
        raise fail(
            "too_many_redirects",
            "the server redirects in a loop"
            if looped
            else f"the server redirects more than {max_redirects} times",
            "open the URL in a browser and submit the final one",
            final_url=masked(str(url)),
            redirects=way,
        )

    def get_one(self, url: httpx2.URL, *, max_bytes: int) -> Reply:
        """One answer, a redirect too. Raises :class:`FetchError`."""
        return self._ask(url, max_bytes, [])

    def _ask(self, url: httpx2.URL, max_bytes: int, way: list[dict[str, object]]) -> Reply:
        self._clock.check()
        self._guard.last = None
        response = None
        try:
            request = self._client.build_request("GET", url.copy_with(fragment=None))
            response = self._client.send(request, stream=True)
            with contextlib.closing(response):
                status = response.status_code
                wanted = 200 <= status < 300 and status not in _NO_PAGE
                wire = self._body(response, max_bytes) if wanted else b""
        except (httpx2.TransportError, FetchError) as failed:
            error = failed if isinstance(failed, FetchError) else self._told(failed)
            if response is not None:
                known = {
                    "status_code": response.status_code,
                    "content_type": response.headers.get("content-type"),
                }
                error.meta = {**known, **(error.meta or {})}
            raise error from None
        return Reply(url, status, response.headers, wire, tuple(way))

    def _told(self, error: httpx2.TransportError) -> FetchError:
        """What went wrong with the HTTP, in our words."""
        if isinstance(error, httpx2.RemoteProtocolError):
            last = self._guard.last
            if last is not None and last.ended and last.speaks_http:
                return lost()
            return fail(
                "bad_response",
                "the server's answer is not valid HTTP",
                "the server is broken; an archived copy may exist",
            )
        if isinstance(error, httpx2.LocalProtocolError):
            return fail(
                "bad_response",
                "the server set a cookie that cannot be sent",
                "open the page in a browser",
            )
        return lost()

    def _body(self, response: httpx2.Response, max_bytes: int) -> bytes:
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > max_bytes:
            raise too_large(max_bytes)
        wire = bytearray()
        for chunk in response.iter_raw():
            wire += chunk
            if len(wire) > max_bytes:
                raise too_large(max_bytes)
            self._clock.check()
        return bytes(wire)


def too_large(max_bytes: int) -> FetchError:
    return fail(
        "too_large",
        f"the body is larger than {max_bytes} bytes",
        "look for a smaller page or file; the operator can raise SIFT_FETCH['MAX_BODY_BYTES']",
    )


def _location(headers: httpx2.Headers) -> str:
    """The Location header; servers send UTF-8 as well as latin-1."""
    for name, value in headers.raw:
        if name.lower() == b"location":
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError:
                return value.decode("latin-1")
    raise bad_redirect("the server redirects without saying where to")
