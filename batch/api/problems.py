"""Every error of the API, as ``application/problem+json`` (RFC 9457).

:data:`CODE_OF` says which exception is which of :mod:`batch.api.codes`. The handler below is set
on the views of this package alone; the host's own views keep theirs.
"""

from __future__ import annotations

import dataclasses
import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from http.client import responses
from typing import Any

from django.core import exceptions as django_errors
from django.db.utils import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions as drf
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from batch import database, errors
from batch.api.codes import CODES, Kind
from batch.outages import outage
from batch.text import one_line

logger = logging.getLogger("batch")

# The first class that fits decides.
CODE_OF: list[tuple[type[Exception], str]] = [
    (errors.InvalidTargetsError, "invalid_targets"),
    (errors.TooManyTargetsError, "too_many_targets"),
    (errors.CallerBusyError, "caller_busy"),
    (errors.JobsBusyError, "jobs_busy"),
    (errors.UnknownJobError, "not_found"),
    (errors.JobLiveError, "job_live"),
    (errors.NothingToRetryError, "nothing_to_retry"),
    (drf.AuthenticationFailed, "not_authenticated"),
    (drf.NotAuthenticated, "not_authenticated"),
    (drf.PermissionDenied, "permission_denied"),
    (django_errors.PermissionDenied, "permission_denied"),
    (drf.NotFound, "not_found"),
    (Http404, "not_found"),
    (drf.MethodNotAllowed, "method_not_allowed"),
    (drf.NotAcceptable, "not_acceptable"),
    (drf.UnsupportedMediaType, "unsupported_media_type"),
    (drf.Throttled, "throttled"),
    (django_errors.RequestDataTooBig, "body_too_large"),
    # Django itself answers these with an HTML page of status 400.
    (UnreadablePostError, "malformed_body"),
    (MultiPartParserError, "malformed_body"),
    (django_errors.BadRequest, "malformed_body"),
    (django_errors.SuspiciousOperation, "malformed_body"),
    (OperationalError, "database_away"),
    (InterfaceError, "database_away"),
]

# The words of these exceptions are for a log or for nobody.
DETAIL_OF = {
    "internal": "the server met an error of its own",
    "database_away": "the database cannot be reached at the moment",
}


class Refusal(Exception):
    """A request refused by the API itself. ``hint`` is the code's own unless given."""

    def __init__(self, code: str, detail: str, hint: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.hint = hint


class ProblemRenderer(JSONRenderer):
    """Errors have this form whatever the request accepts: a client that cannot read it still
    has the status, and one that can is never sent a page instead."""

    media_type = "application/problem+json"


def answer(error: Exception, context: Mapping[str, Any]) -> Response:
    """The problem that ``error`` is to the client. It never gives None, on which DRF would
    raise the error once more and leave the answer to the host's HTML page."""
    code = _code(error)
    kind = CODES.get(code, Kind(HTTPStatus.BAD_REQUEST, ""))
    status = int(kind.status)
    if isinstance(error, drf.APIException):
        # Also DRF's 403 for a caller unknown to an authentication that cannot challenge.
        status = error.status_code
    title = responses.get(status, "Error")
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": DETAIL_OF.get(code) or _detail(error) or title,
        "code": code,
        "hint": _hint(error) or kind.hint,
        **_members(error),
    }
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if seconds := getattr(error, "wait", None) or kind.retry_after:
        headers["Retry-After"] = str(seconds)
    if code == "internal":
        body["reference"] = secrets.token_hex(8)
        logger.error(
            "api_error", exc_info=error, extra={"reference": body["reference"], **_place(context)}
        )
    elif code == "database_away":
        outage.away(**_place(context), error=one_line(str(error)))
    return Response(body, status=status, headers=headers)


def _code(error: Exception) -> str:
    if isinstance(error, Refusal):
        return error.code
    for kind, code in CODE_OF:
        if isinstance(error, kind):
            return code
    if isinstance(error, drf.APIException):
        return str(error.default_code)  # of the host's own authentication, say
    return "database_away" if database.mood(error) else "internal"


def _detail(error: Exception) -> str:
    detail = getattr(error, "detail", None)
    if isinstance(detail, Mapping):  # so the host's own authentication may word it
        detail = detail.get("detail")
    return str(detail or error)


def _hint(error: Exception) -> str:
    if isinstance(error, errors.InvalidTargetsError):
        return error.problems[0].hint
    return error.hint if isinstance(error, Refusal) else ""


def _members(error: Exception) -> dict[str, Any]:
    match error:
        case errors.InvalidTargetsError():
            return {"errors": [dataclasses.asdict(problem) for problem in error.problems]}
        case errors.TooManyTargetsError():
            return {"limit": error.limit, "count": error.count}
        case errors.CallerBusyError():
            return {"job": error.job_id}
    return {}


def _place(context: Mapping[str, Any]) -> dict[str, str]:
    request = context["request"]
    return {"method": request.method, "path": request.path}
