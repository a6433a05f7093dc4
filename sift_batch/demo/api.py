"""A client of the API in the standard library's terms: what a caller in any language does."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

SECONDS = 30.0


class Refused(Exception):
    """The API refused a request: its problem's words, in one line."""


@dataclass(frozen=True)
class Reply:
    """The status and the decoded body of an answer."""

    status: int
    body: dict[str, Any]


class Api:
    """The API at ``http://127.0.0.1:port/api/``, for one caller."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }

    def submit(self, targets: Sequence[Mapping[str, Any]]) -> Reply:
        return self._ask("POST", "/api/jobs/", {"targets": list(targets)})

    def follow(self, link: str) -> dict[str, Any]:
        """What is at one of the links that an answer gave."""
        parts = urlsplit(link)
        return self._ask("GET", parts._replace(scheme="", netloc="").geturl()).body

    def targets(self, link: str) -> Iterator[dict[str, Any]]:
        """All targets of a job, page after page."""
        following: str | None = link
        while following:
            page = self.follow(following)
            yield from page["results"]
            following = page["next"]

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, self._headers)
            answer = connection.getresponse()
            decoded = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Refused(f"{method} {path} got no answer ({error})") from error
        finally:
            connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise Refused(
                f"{method} {path} was refused with {answer.status} {decoded.get('code', '')}:"
                f" {decoded.get('detail', '')} ({decoded.get('hint', '')})"
            )
        return Reply(answer.status, decoded)
