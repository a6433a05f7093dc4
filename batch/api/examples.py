"""What the OpenAPI document shows: one job on its way, and a problem for each code."""

from __future__ import annotations

from typing import Any

from batch.api.codes import CODES
from batch.exports import csv_rows, json_lines
from batch.results import COLUMNS
from batch.words import OPTION_TYPES

JOB_ID = "0190f3a2-7c5e-7d31-9f0a-5b8f2c64d1e7"
OTHER_ID = "0190f3a1-0b7d-7a55-8c21-77d1e0a9b3f4"
MOMENT = "2030-01-31T12:00:00Z"
ETAG = 'W/"6f5902ac237024bdd0c176cb93063dc4"'
_AT = f"https://sift.example/api/jobs/{JOB_ID}/"

SUBMISSION = {
    "targets": [
        "https://example.com/",
        {"url": "https://example.com/report.pdf", "options": {"pages": "1-3"}},
    ],
    "options": {"mode": "text"},
}
JOB = {
    "id": JOB_ID,
    "status": "partial",
    "error": "",
    "caller_class": "user",
    "targets_total": 2,
    "targets_done": 2,
    "targets_failed": 1,
    "created_at": MOMENT,
    "started_at": "2030-01-31T12:00:01Z",
    "finished_at": "2030-01-31T12:00:04Z",
    "lease_expires_at": "2030-02-01T12:00:04Z",
    "worker_alive": True,
    "links": {
        "self": _AT,
        **{name: f"{_AT}{name}/" for name in ("targets", "cancel", "retry")},
        **{f"results_{form}": f"{_AT}results.{form}" for form in ("jsonl", "csv", "zip")},
    },
}
NEW_JOB = {
    **JOB,
    "status": "running",
    "targets_done": 0,
    "targets_failed": 0,
    "started_at": None,
    "finished_at": None,
}
TARGET: dict[str, Any] = {
    "idx": 0,
    "url": "https://example.com/",
    "options": {"mode": "text"},
    "status": "done",
    "result": {
        "content": "Example Domain\n\nThis domain is for use in examples.",
        "meta": {"final_url": "https://example.com/", "content_type": "text/html"},
    },
    "error": "",
    "hint": "",
    "code": "",
    "details": None,
    "started_at": "2030-01-31T12:00:01Z",
    "finished_at": "2030-01-31T12:00:02Z",
}
FAILED_TARGET: dict[str, Any] = {
    **TARGET,
    "idx": 1,
    "url": "https://example.com/report.pdf",
    "options": {"mode": "text", "pages": "1-3"},
    "status": "failed",
    "result": None,
    "error": "the server answered 404",
    "hint": "check the address",
    "code": "not_found",
    "details": {"status_code": 404},
}
_ROW = {"job": JOB_ID, **TARGET, **TARGET["result"]}

ANSWERS: dict[tuple[str, int], Any] = {
    ("list_jobs", 200): {"next": None, "previous": None, "results": [JOB]},
    ("submit_job", 202): {**NEW_JOB, "reused": False},
    ("submit_job", 200): {**JOB, "reused": True},
    ("get_job", 200): JOB,
    ("cancel_job", 200): {**JOB, "status": "cancelled"},
    ("retry_job", 202): NEW_JOB,
    ("list_targets", 200): {"next": None, "previous": None, "results": [TARGET, FAILED_TARGET]},
    ("get_target", 200): TARGET,
    ("health", 200): {"alive": True, "ready": True, "queue": True},
    ("alive", 200): {"alive": True},
    ("results_jsonl", 200): json_lines.as_json({name: _ROW[name] for name in COLUMNS}) + "\n",
    ("results_csv", 200): b"".join(csv_rows.lines(COLUMNS, [_ROW])).decode(),
}
"""By call and status. A zip has no example: it is no text."""

_DETAILS = {
    "malformed_body": "the body is not JSON: Expecting value: line 1 column 1 (char 0)",
    "invalid_targets": "invalid targets: there is no option 'mood' (at index 1)",
    "invalid_query": "limit must be a whole number above 0",
    "not_authenticated": "Authentication credentials were not provided.",
    "permission_denied": "You do not have permission to perform this action.",
    "not_found": f"unknown job: no job has the id '{JOB_ID}'",
    "not_acceptable": "Could not satisfy the request Accept header.",
    "job_live": f"job live: {JOB_ID} has not ended yet; cancel it or wait for its end",
    "job_terminal": f"job {JOB_ID} has ended already: it is partial",
    "nothing_to_retry": f"nothing to retry: every target of job {JOB_ID} is done",
    "body_too_large": "the body has more than 10485760 bytes, the most allowed",
    "unsupported_media_type": 'Unsupported media type "text/csv" in request.',
    "too_many_targets": "too many targets: 33 given, at most 32 allowed in one job",
    "caller_busy": f"busy: job {OTHER_ID} of this caller is still live, and 1 may be",
    "jobs_busy": "jobs busy: 8 jobs are live in all, the most allowed; try later",
    "throttled": "Request was throttled. Expected available in 30 seconds.",
    "internal": "the server met an error of its own",
    "database_away": "the database cannot be reached at the moment",
    "not_ready": "the tables cannot be read",
}
_OPTIONS = "the options are " + ", ".join(OPTION_TYPES)
_MEMBERS: dict[str, dict[str, Any]] = {
    "invalid_targets": {
        "hint": _OPTIONS,
        "errors": [
            {
                "index": 1,
                "field": "mood",
                "code": "unknown_option",
                "message": "there is no option 'mood'",
                "hint": _OPTIONS,
            }
        ],
    },
    "too_many_targets": {"limit": 32, "count": 33},
    "caller_busy": {"job": OTHER_ID},
    "internal": {"reference": "5b8f2c64d1e70190"},
}


def problem(code: str) -> dict[str, Any]:
    """The problem of this code, as a call that meets it is answered."""
    status = CODES[code].status
    return {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": _DETAILS[code],
        "code": code,
        "hint": CODES[code].hint,
        **_MEMBERS.get(code, {}),
    }
