"""What is told about a fetch beside its text."""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime
from typing import Any

from batch.errors import FetchError

from .address import masked

ALWAYS = (
    "requested_url", "final_url", "redirects", "status_code", "content_type", "detected_type",
    "charset", "charset_source", "title", "description", "author", "site_name", "published_at",
    "language", "canonical_url", "fetched_at", "elapsed_ms", "attempts", "bytes", "bytes_wire",
    "sha256", "content_format", "content_chars", "truncated", "truncated_reason", "mode_used",
    "extractor", "etag", "last_modified", "warnings",
)  # fmt: skip
"""The keys that a result always has; null means unknown."""

_OF_A_PAGE = (
    "status_code", "content_type", "detected_type", "charset", "charset_source", "fetched_at",
    "bytes", "bytes_wire", "sha256", "etag", "last_modified",
)  # fmt: skip

TRUNCATED_REASONS = ("content_limit", "page_limit", "match_limit", "output_limit")


class Meta:
    """Collects facts while a target is worked on."""

    def __init__(self, requested_url: str) -> None:
        self._started = time.monotonic()
        self._facts: dict[str, Any] = dict.fromkeys(ALWAYS)
        self._facts.update(
            requested_url=masked(requested_url), truncated=False, redirects=[], warnings=[]
        )

    def set(self, **facts: Any) -> None:
        self._facts.update(facts)

    def forget_page(self) -> None:
        """The page known so far only led to another one, whose facts these are not."""
        self.set(**dict.fromkeys(_OF_A_PAGE))

    def facts(self) -> dict[str, Any]:
        """What is known so far, for :meth:`go_back`."""
        return {**self._facts, "warnings": [*self._facts["warnings"]]}

    def go_back(self, facts: dict[str, Any]) -> None:
        """Forget all that was learnt since."""
        self._facts = {**facts, "warnings": [*facts["warnings"]]}

    def get(self, name: str) -> Any:
        return self._facts.get(name)

    def warn(self, code: str, message: str) -> None:
        """Add a warning; the same one is not told twice."""
        warning = {"code": code, "message": message}
        if warning not in self._facts["warnings"]:
            self._facts["warnings"].append(warning)

    def warn_all(self, warnings: list[tuple[str, str]]) -> None:
        for code, message in warnings:
            self.warn(code, message)

    def truncate(self, reason: str) -> None:
        """Something was left out. The first reason stays: the later ones follow from it."""
        self._facts["truncated"] = True
        self._facts["truncated_reason"] = self._facts["truncated_reason"] or reason

    def set_body(self, body: bytes, wire_bytes: int) -> None:
        self.set(bytes=len(body), bytes_wire=wire_bytes, sha256=hashlib.sha256(body).hexdigest())

    def result(self, content: str) -> dict[str, Any]:
        """Everything, for a result with this content."""
        self.set(content_chars=len(content), elapsed_ms=self._elapsed_ms())
        return dict(self._facts)

    def failure(self, error: FetchError) -> FetchError:
        """``error``, its meta filled up with what is known beside it."""
        known = {k: v for k, v in self._facts.items() if v not in (None, [], False)}
        known["elapsed_ms"] = self._elapsed_ms()
        error.meta = {**known, **(error.meta or {})}
        return error

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._started) * 1000)


def iso(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, with Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
