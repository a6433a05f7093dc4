"""The OpenAPI document of these views, by drf-spectacular where the host has installed it.

Everything is set here, so that no setting of the host's changes the document, nor this the
host's own.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.urls import reverse
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import patched_settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from batch.api import shapes
from batch.api.codes import CODES
from batch.models import JobStatus, TargetState

TITLE = "sift batch"
_changing = threading.Lock()
VERSION = "1"
PROBLEM = "application/problem+json"
SETTINGS = {
    "TITLE": TITLE,
    "DESCRIPTION": "Submits jobs, shows them and their targets, cancels, retries and deletes them.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": None,
    "SCHEMA_PATH_PREFIX_TRIM": False,
    "CAMELIZE_NAMES": False,
    "PREPROCESSING_HOOKS": [],
    "POSTPROCESSING_HOOKS": [],
    "APPEND_COMPONENTS": {},
    "APPEND_PATHS": {},
    "ENUM_NAME_OVERRIDES": {},
    "SECURITY": [],
    "TAGS": [],
    "SERVERS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}


@dataclass(frozen=True)
class Operation:
    """A call: its name for generated clients, and what goes in and comes out."""

    name: str
    summary: str
    answers: dict[tuple[int, str], Any]
    refusals: tuple[str, ...]
    parameters: tuple[OpenApiParameter, ...] = ()
    body: Any = None
    common: tuple[str, ...] = field(
        default=("not_authenticated", "permission_denied", "throttled", "internal", "database_away")
    )


def _query(name: str, kind: Any, told: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=told, **more)


JSON = "application/json"
_JOB = OpenApiParameter("job_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
_IDX = OpenApiParameter("idx", OpenApiTypes.INT, OpenApiParameter.PATH)
_PAGE = (
    _query("cursor", str, "a place in the list, from next or previous"),
    _query("limit", OpenApiTypes.INT, "rows a page"),
)
_CONTENT = _query("content", str, "0 leaves result.content out", enum=["0", "1"])
_RESULTS = {"jsonl": "application/jsonl", "csv": "text/csv", "zip": "application/zip"}

OPERATIONS: dict[tuple[str, str], Operation] = {
    ("JobList", "GET"): Operation(
        "list_jobs",
        "The caller's jobs, newest first",
        {(200, JSON): shapes.JobPage},
        ("invalid_query",),
        (
            *_PAGE,
            _query("all", str, "1: of everybody, for staff", enum=["0", "1"]),
            _query("status", str, "one or several", enum=JobStatus.values, many=True),
            _query("created_after", OpenApiTypes.DATETIME, "jobs submitted after this moment"),
            _query("created_before", OpenApiTypes.DATETIME, "jobs submitted before this moment"),
        ),
    ),
    ("JobList", "POST"): Operation(
        "submit_job",
        "Submit targets as a job",
        {(202, JSON): shapes.SubmittedJob, (200, JSON): shapes.SubmittedJob},
        (
            "malformed_body",
            "body_too_large",
            "unsupported_media_type",
            "too_many_targets",
            "caller_busy",
        ),
        body=shapes.Submission,
    ),
    ("JobDetail", "GET"): Operation(
        "get_job",
        "A job, at once or when something is new",
        {(200, JSON): shapes.Job, (304, ""): None},
        ("invalid_query", "not_found"),
        (
            _JOB,
            _query("wait", OpenApiTypes.NUMBER, "seconds, at most 30"),
            OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER),
        ),
    ),
    ("JobDetail", "DELETE"): Operation(
        "delete_job",
        "Remove a job that has ended",
        {(204, ""): None},
        ("not_found", "job_live"),
        (_JOB,),
    ),
    ("JobCancel", "POST"): Operation(
        "cancel_job",
        "End a live job",
        {(200, JSON): shapes.Job},
        ("not_found", "job_terminal"),
        (_JOB,),
    ),
    ("JobRetry", "POST"): Operation(
        "retry_job",
        "Make a new job of the failed and pending targets",
        {(202, JSON): shapes.Job},
        ("not_found", "job_live", "too_many_targets", "caller_busy"),
        (_JOB,),
    ),
    ("TargetList", "GET"): Operation(
        "list_targets",
        "The targets of a job, in their order",
        {(200, JSON): shapes.TargetPage},
        ("invalid_query", "not_found"),
        (
            _JOB,
            *_PAGE,
            _CONTENT,
            _query("status", str, "one or several", enum=TargetState.values, many=True),
        ),
    ),
    ("TargetDetail", "GET"): Operation(
        "get_target",
        "One target of a job",
        {(200, JSON): shapes.Target},
        ("invalid_query", "not_found"),
        (_JOB, _IDX, _CONTENT),
    ),
    **{
        (f"Results{kind.capitalize()}", "GET"): Operation(
            f"results_{kind}",
            f"The results of a job, streamed as {kind.upper()}",
            {(200, media): OpenApiTypes.BINARY if kind == "zip" else OpenApiTypes.STR},
            ("not_found",),
            (_JOB,),
        )
        for kind, media in _RESULTS.items()
    },
}


class Schema(AutoSchema):
    """Tells drf-spectacular what OPERATIONS say."""

    def is_excluded(self) -> bool:
        return (type(self.view).__name__, self.method) not in OPERATIONS

    def _operation(self) -> Operation:
        return OPERATIONS[type(self.view).__name__, self.method]

    def get_operation_id(self) -> str:
        return self._operation().name

    def get_summary(self) -> str:
        return self._operation().summary

    def get_tags(self) -> list[str]:
        return ["jobs"]

    def get_override_parameters(self) -> list[Any]:
        return list(self._operation().parameters)

    def get_request_serializer(self) -> Any:
        body = self._operation().body
        return body and {JSON: body}

    def get_response_serializers(self) -> Any:
        operation = self._operation()
        answers: dict[Any, Any] = {}
        for (code, media), shape in operation.answers.items():
            told = HTTPStatus(code).phrase
            key = (code, media) if media else code
            answers[key] = OpenApiResponse(shape, description=told) if shape else _empty(told)
        codes: dict[int, list[str]] = {}
        for name in (*operation.refusals, *operation.common):
            codes.setdefault(CODES[name].status.value, []).append(name)
        for status, names in codes.items():
            told = ", ".join(names)
            answers[status, PROBLEM] = OpenApiResponse(shapes.Problem, description=told)
        return answers


def _empty(told: str) -> OpenApiResponse:
    return OpenApiResponse(None, description=told)


class _Endpoints(EndpointEnumerator):
    """These views alone, wherever the host has put them; each has a second address without the
    slash at its end, which is not worth telling."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        view = getattr(callback, "cls", None)
        return isinstance(getattr(view, "schema", None), Schema) and not _is_twin(path)


def _is_twin(path: str) -> bool:
    return not path.endswith(("/", ".jsonl", ".csv", ".zip"))


@contextlib.contextmanager
def _own_settings() -> Iterator[None]:
    """drf-spectacular's settings are one for the process: two threads that changed them at a
    time would put back each other's."""
    with _changing, patched_settings(SETTINGS):
        yield


class _Generator(SchemaGenerator):
    endpoint_inspector_cls = _Endpoints


class SchemaView(SpectacularJSONAPIView):
    """The document, as JSON."""

    generator_class = _Generator
    permission_classes = [IsAuthenticated]
    schema = None
    urlconf = None
    patterns = None
    serve_public = True  # the same for everybody who may read it

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        with _own_settings():
            shown: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return shown


class DocsView(SpectacularSwaggerSplitView):
    """The document as a page to read and to try; all that it needs comes from this server."""

    permission_classes = [IsAuthenticated]
    schema = None
    template_name = "batch/docs.html"
    title = TITLE

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        match = request.resolver_match
        self.url = reverse(f"{match.namespace if match else 'batch'}:schema")
        with _own_settings():
            shown: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return shown
