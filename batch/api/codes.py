"""The codes of the API's errors: all that a client may be told, and what to do about each."""

from __future__ import annotations

from http import HTTPStatus
from typing import NamedTuple


class Kind(NamedTuple):
    """What a code stands for. ``retry_after``: seconds, where trying again may help."""

    status: HTTPStatus
    hint: str
    retry_after: int = 0


CODES = {
    "malformed_body": Kind(
        HTTPStatus.BAD_REQUEST,
        'send one JSON object in UTF-8, such as {"targets": ["https://example.com/"]}',
    ),
    "invalid_targets": Kind(HTTPStatus.BAD_REQUEST, "mend what errors lists, then submit again"),
    "invalid_query": Kind(HTTPStatus.BAD_REQUEST, "correct this parameter or leave it out"),
    "not_authenticated": Kind(HTTPStatus.UNAUTHORIZED, "log in, or send valid credentials"),
    "permission_denied": Kind(HTTPStatus.FORBIDDEN, "ask for the permission, or do without this"),
    "not_found": Kind(HTTPStatus.NOT_FOUND, "check the address; a job is gone after its lease"),
    "method_not_allowed": Kind(HTTPStatus.METHOD_NOT_ALLOWED, "the Allow header lists what works"),
    "not_acceptable": Kind(HTTPStatus.NOT_ACCEPTABLE, "accept application/json"),
    "job_live": Kind(HTTPStatus.CONFLICT, "cancel the job, or wait until it has ended"),
    "job_terminal": Kind(HTTPStatus.CONFLICT, "nothing is left to cancel; read its results"),
    "nothing_to_retry": Kind(HTTPStatus.CONFLICT, "read its results: every target has one"),
    "body_too_large": Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "submit fewer targets at a time"),
    "unsupported_media_type": Kind(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON, with Content-Type: application/json"
    ),
    "too_many_targets": Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "split the list into jobs of at most as many targets as limit says",
    ),
    "caller_busy": Kind(
        HTTPStatus.TOO_MANY_REQUESTS, "wait for the job named in job, or cancel it", 10
    ),
    "jobs_busy": Kind(HTTPStatus.TOO_MANY_REQUESTS, "submit again after Retry-After seconds", 10),
    "throttled": Kind(HTTPStatus.TOO_MANY_REQUESTS, "send fewer requests", 30),
    "internal": Kind(
        HTTPStatus.INTERNAL_SERVER_ERROR, "report the reference to whoever runs this server"
    ),
    "database_away": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "send the same request again after Retry-After seconds", 5
    ),
    "not_ready": Kind(
        HTTPStatus.SERVICE_UNAVAILABLE, "run manage.py migrate; the log says what is missing", 5
    ),
}
