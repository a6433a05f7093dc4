"""The calls of the API, for the OpenAPI document: what goes in, what comes out, what refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from batch.api import examples, shapes
from batch.exports import FORMS
from batch.models import JobStatus, TargetState

JSON = "application/json"
KNOWN = ("not_authenticated", "permission_denied", "throttled", "internal", "database_away")
"""What may refuse any call of somebody who has to be known."""


@dataclass(frozen=True)
class Operation:
    """A call: its name for generated clients, and what goes in and comes out.

    ``answers`` are shapes by status and media type. ``links`` are the calls that what comes out
    leads to, by name. ``anywhere`` is refused by more than the call itself.
    """

    name: str
    summary: str
    answers: dict[tuple[int, str], Any]
    refusals: tuple[str, ...]
    parameters: tuple[OpenApiParameter, ...] = ()
    body: Any = None
    told: str = ""
    links: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = KNOWN
    tag: str = "jobs"


def _query(name: str, schema: dict[str, Any], told: str, example: Any = None) -> OpenApiParameter:
    shown = [] if example is None else [OpenApiExample(name, example)]
    return OpenApiParameter(name, schema, description=told, examples=shown)


def _statuses(values: list[str], example: str) -> OpenApiParameter:
    one = {"type": "string", "enum": sorted(values)}
    return _query("status", {"type": "array", "items": one}, "one or several", [example])


def _moment(name: str, told: str) -> OpenApiParameter:
    return _query(name, {"type": "string", "format": "date-time"}, told, examples.MOMENT)


def _header(name: str, told: str, *codes: int, required: bool = True) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        OpenApiTypes.INT if name == "Retry-After" else OpenApiTypes.STR,
        OpenApiParameter.HEADER,
        required=required,
        description=told,
        response=list(codes),
    )


_JOB = OpenApiParameter(
    "job_id",
    OpenApiTypes.UUID,
    OpenApiParameter.PATH,
    description="of a job of the caller's, or of anybody's for staff with the permission",
    examples=[OpenApiExample("job", examples.JOB_ID)],
)
_IDX = OpenApiParameter(
    "idx",
    {"type": "integer", "minimum": 0},
    OpenApiParameter.PATH,
    description="its place in the list, from 0",
    examples=[OpenApiExample("first", 0)],
)
_FLAG = {"type": "string", "enum": ["0", "1"]}
_PAGE = (
    _query("cursor", {"type": "string"}, "a place in the list, from next or previous"),
    _query("limit", {"type": "integer", "minimum": 1}, "rows a page; too many means the most", 50),
)
_CONTENT = _query("content", _FLAG, "0 leaves result.content out", "1")
_LOCATION = _header("Location", "the address of the job", 200, 202)
HEADERS = (
    _header("WWW-Authenticate", "how to say who you are", 401, required=False),
    _header("Retry-After", "in so many seconds", 429, 503),
)
"""Of every call."""

OPERATIONS: dict[tuple[str, str], Operation] = {
    ("JobList", "GET"): Operation(
        "list_jobs",
        "The caller's jobs, newest first",
        {(200, JSON): shapes.JobPage},
        ("invalid_query", "not_acceptable"),
        (
            *_PAGE,
            _query("all", _FLAG, "1: of everybody, for staff", "0"),
            _statuses(JobStatus.values, "done"),
            _moment("created_after", "jobs submitted after this moment"),
            _moment("created_before", "jobs submitted before this moment"),
        ),
    ),
    ("JobList", "POST"): Operation(
        "submit_job",
        "Submit targets as a job",
        {(202, JSON): shapes.SubmittedJob, (200, JSON): shapes.SubmittedJob},
        (
            *("malformed_body", "invalid_targets", "not_acceptable", "body_too_large"),
            *("unsupported_media_type", "too_many_targets", "caller_busy", "jobs_busy"),
        ),
        (_LOCATION,),
        body=shapes.Submission,
        told="202 with a new job; 200 with the one that is kept of the same targets.",
        links=("get_job", "list_targets", "cancel_job"),
    ),
    ("JobDetail", "GET"): Operation(
        "get_job",
        "A job, at once or when something is new",
        {(200, JSON): shapes.Job, (304, ""): None},
        ("invalid_query", "not_found", "not_acceptable"),
        (
            _JOB,
            _query("wait", {"type": "number", "minimum": 0}, "seconds; over 30 means 30", 20),
            OpenApiParameter(
                "If-None-Match",
                str,
                OpenApiParameter.HEADER,
                description="ETags that are known: 304 while one of them still holds",
                examples=[OpenApiExample("known", examples.ETAG)],
            ),
            _header("ETag", "changes with anything that the answer shows", 200, 304),
        ),
        told="With wait the answer comes when the job differs from If-None-Match, or without it "
        "from what it is now; and after so many seconds in any case.",
    ),
    ("JobDetail", "DELETE"): Operation(
        "delete_job",
        "Remove a job that has ended",
        {(204, ""): None},
        ("not_found", "not_acceptable", "job_live"),
        (_JOB,),
    ),
    ("JobCancel", "POST"): Operation(
        "cancel_job",
        "End a live job",
        {(200, JSON): shapes.Job},
        ("not_found", "not_acceptable", "job_terminal"),
        (_JOB,),
        links=("retry_job", "delete_job"),
    ),
    ("JobRetry", "POST"): Operation(
        "retry_job",
        "Make a new job of the failed and pending targets",
        {(202, JSON): shapes.Job},
        (
            *("not_found", "not_acceptable", "job_live", "nothing_to_retry"),
            *("too_many_targets", "caller_busy", "jobs_busy"),
        ),
        (_JOB, _LOCATION),
        links=("get_job", "list_targets", "cancel_job"),
    ),
    ("TargetList", "GET"): Operation(
        "list_targets",
        "The targets of a job, in their order",
        {(200, JSON): shapes.TargetPage},
        ("invalid_query", "not_found", "not_acceptable"),
        (_JOB, *_PAGE, _CONTENT, _statuses(TargetState.values, "failed")),
    ),
    ("TargetDetail", "GET"): Operation(
        "get_target",
        "One target of a job",
        {(200, JSON): shapes.Target},
        ("invalid_query", "not_found", "not_acceptable"),
        (_JOB, _IDX, _CONTENT),
    ),
    ("HealthView", "GET"): Operation(
        "health",
        "Whether the server can work, for load balancers",
        {(200, JSON): shapes.Health},
        ("database_away", "not_ready"),
        anywhere=("internal",),
        tag="health",
    ),
    ("AliveView", "GET"): Operation(
        "alive",
        "Whether the process answers, for liveness probes",
        {(200, JSON): shapes.Alive},
        (),
        anywhere=("internal",),
        tag="health",
    ),
    **{
        (f"Results{form.capitalize()}", "GET"): Operation(
            f"results_{form}",
            f"The results of a job, streamed as {form.upper()}",
            {
                (200, kind.content_type.partition(";")[0]): (
                    OpenApiTypes.BINARY if form == "zip" else OpenApiTypes.STR
                )
            },
            ("not_found",),
            (_JOB, _header("Content-Disposition", "names the file after the job", 200)),
        )
        for form, kind in FORMS.items()
    },
}
