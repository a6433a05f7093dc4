"""How the pipeline words its failures."""

from __future__ import annotations

from typing import Any

from batch.errors import FetchError

from .codes import RETRYABLE

RECOVER_HINT = "; with recover an archived copy is looked for"
ALLOWED_NETWORKS_HINT = (
    "only public addresses on the usual web ports are fetched; the operator can open a network"
    " with SIFT_FETCH['ALLOWED_NETWORKS'] and a port with SIFT_FETCH['ALLOWED_PORTS']"
)


class BadOption(ValueError):
    """An option that cannot be used: the caller's own mistake, found at submit.

    ``field`` is the option's name, ``code`` one of ``OPTION_CODES``.
    """

    def __init__(self, field: str, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.field = field
        self.code = code
        self.message = message
        self.hint = hint


def fail(code: str, message: str, hint: str = "", **meta: Any) -> FetchError:
    """A :class:`FetchError` whose ``retryable`` follows from its code."""
    return FetchError(message, hint, code=code, retryable=code in RETRYABLE, meta=meta)


def blocked(redirect: bool = False) -> FetchError:
    """The guard's refusal. One wording for every reason, so it tells nothing of the inside."""
    if redirect:
        return fail(
            "blocked_redirect",
            "the page redirects to an address that is not fetched from here",
            ALLOWED_NETWORKS_HINT,
        )
    return fail(
        "blocked_address",
        "the URL leads to an address that is not fetched from here",
        ALLOWED_NETWORKS_HINT,
    )


def out_of_time(seconds: float) -> FetchError:
    """The target's total clock ran out."""
    return fail(
        "timeout",
        f"the fetch was not finished within {seconds:g} s",
        "try again later; the server may be slow or overloaded",
    )


def status_error(status: int, headers: Any, retry_after: float | None) -> FetchError | None:
    """The error that an HTTP status stands for, or None when there is a page to read."""
    known: dict[str, Any] = {"status_code": status}
    if status == 429 or (status == 503 and retry_after is not None):
        if retry_after is not None:
            known["retry_after"] = retry_after
        return fail(
            "rate_limited",
            f"the server asks for fewer requests (HTTP {status})",
            "send fewer requests to this host, or try again later",
            **known,
        )
    if status in (401, 403, 407, 451):
        wall = " by a bot check" if headers.get("cf-mitigated") else ""
        return fail(
            "access_denied",
            f"the server refuses access{wall} (HTTP {status})",
            "the page needs a login or refuses programs; look for another source",
            **known,
        )
    if status in (404, 410):
        return fail(
            "not_found",
            f"the server has no such page (HTTP {status})",
            f"check the URL{RECOVER_HINT}",
            **known,
        )
    if status >= 500:
        return fail(
            "server_error",
            f"the server failed (HTTP {status})",
            "try again later",
            **known,
        )
    if status in (204, 205):
        return fail(
            "empty_content",
            f"the server answered without content (HTTP {status})",
            "there is nothing to read at this URL",
            **known,
        )
    if status == 206 or not 200 <= status < 300:
        return fail(
            "http_error",
            f"the server answered with HTTP {status} instead of a page",
            "check the URL in a browser",
            **known,
        )
    return None
