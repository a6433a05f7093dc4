"""Entity tags: a poll that finds nothing new is answered without a body (RFC 9110, 13.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.http import parse_etags
from rest_framework import status
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response


def of(shown: Mapping[str, Any]) -> str:
    """The tag of what is shown. A weak one: compression on the way does not change it."""
    digest = hashlib.sha256(JSONRenderer().render(shown)).hexdigest()
    return f'W/"{digest[:32]}"'


def asked(request: Request) -> list[str]:
    """The tags that the client has already, from ``If-None-Match``."""
    return parse_etags(request.headers.get("If-None-Match", ""))


def match(etag: str, known: Sequence[str]) -> bool:
    return "*" in known or etag.removeprefix("W/") in {tag.removeprefix("W/") for tag in known}


def response(request: Request, shown: Mapping[str, Any], etag: str) -> Response:
    """200 with what is shown, or 304 where the client has it."""
    # A cache may keep it, for this caller alone, and has to ask each time.
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if match(etag, asked(request)):
        return Response(status=status.HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(shown, headers=headers)
