"""The shape of what comes in and goes out. What targets mean is the parser's to say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request

from batch.api.problems import Refusal
from batch.errors import InvalidTargetsError
from batch.exports import FORMS
from batch.models import BatchJob
from batch.parsing import MAX_PROBLEMS
from batch.text import clean
from batch.types import Problem, Target, parse_targets

SUBMISSION = '{"targets": [...], "options": {...}}'
JOB_FIELDS = (
    "id",
    "status",
    "error",
    "caller_class",
    "targets_total",
    "targets_done",
    "targets_failed",
    "created_at",
    "started_at",
    "finished_at",
    "lease_expires_at",
)
TARGET_FIELDS = (
    "idx",
    "url",
    "options",
    "status",
    "result",
    "error",
    "hint",
    "code",
    "details",
    "started_at",
    "finished_at",
)


def submission(body: Any) -> list[Target]:
    """The targets of a submission's body, with its options as their defaults."""
    if not isinstance(body, Mapping):
        raise Refusal("malformed_body", "the body is not an object", f"send {SUBMISSION}")
    problems = [
        Problem(
            None,
            clean(key[:64]),
            "unknown_field",
            f"a submission has no field {clean(key[:64])!r}",
            f"a submission is {SUBMISSION}; an option belongs in options",
        )
        for key in body
        if key not in ("targets", "options")
    ]
    if "targets" not in body:
        hint = f"a submission is {SUBMISSION}"
        problems.append(Problem(None, "targets", "no_targets", "targets is missing", hint))
        raise InvalidTargetsError(problems[:MAX_PROBLEMS])
    # The parser takes None for options that were not given, but here null was.
    options: Any = body.get("options", {})
    if options is None:
        options = []
    try:
        targets = parse_targets(body["targets"], options)
    except InvalidTargetsError as error:
        raise InvalidTargetsError((problems + error.problems)[:MAX_PROBLEMS]) from None
    if problems:
        raise InvalidTargetsError(problems[:MAX_PROBLEMS])
    return targets


def job(row: BatchJob, request: Request, *, worker_alive: bool) -> dict[str, Any]:
    shown = {name: _value(getattr(row, name)) for name in JOB_FIELDS}
    return {
        **shown,
        "id": str(row.id),
        "worker_alive": worker_alive,
        "links": {
            "self": job_url(str(row.id), request),
            "targets": job_url(str(row.id), request, "target-list"),
            "cancel": job_url(str(row.id), request, "job-cancel"),
            "retry": job_url(str(row.id), request, "job-retry"),
            **{
                f"results_{form}": job_url(str(row.id), request, f"results-{form}")
                for form in FORMS
            },
        },
    }


def job_url(job_id: str, request: Request, name: str = "job-detail") -> str:
    # The host may have included these URLs below a namespace of its own.
    namespace = request.resolver_match.namespace if request.resolver_match else "batch"
    path = reverse(f"{namespace}:{name}", kwargs={"job_id": job_id})
    return str(request.build_absolute_uri(path))


def target(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(row[name]) for name in TARGET_FIELDS}


def _value(value: Any) -> Any:
    """Times go out with their offset and in UTC, whatever the host's time zone settings."""
    if not isinstance(value, datetime):
        return value
    if timezone.is_naive(value):
        value = timezone.make_aware(value, timezone.get_default_timezone())
    return value.astimezone(UTC)
