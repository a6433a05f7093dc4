"""Export actions: the results of the selected jobs as one file, sent while it is read.

They change nothing, so they do not ask first.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from batch.admin.actions import MOST_AT_ONCE
from batch.errors import UnknownJobError
from batch.exports import FORMS
from batch.exports.sending import Awaited, begun
from batch.models import BatchJob


@admin.action(permissions=["view"], description="Export the selected jobs as JSONL")
def export_jsonl(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> StreamingHttpResponse | None:
    return _export("jsonl", model_admin, request, queryset)


@admin.action(permissions=["view"], description="Export the selected jobs as CSV")
def export_csv(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> StreamingHttpResponse | None:
    return _export("csv", model_admin, request, queryset)


@admin.action(permissions=["view"], description="Export the selected jobs as zip of Markdown")
def export_zip(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> StreamingHttpResponse | None:
    return _export("zip", model_admin, request, queryset)


def _export(
    form: str, model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> StreamingHttpResponse | None:
    ids = [str(key) for key in queryset.values_list("pk", flat=True)[: MOST_AT_ONCE + 1]]
    if len(ids) > MOST_AT_ONCE:
        told = (
            f"Nothing was exported: over {MOST_AT_ONCE} jobs are selected, and at most"
            f" {MOST_AT_ONCE} fit into one file. Narrow the list with its filters."
        )
        model_admin.message_user(request, told, messages.ERROR)
        return None
    try:
        chunks = begun(form, *ids)
    except UnknownJobError:
        told = "Nothing was exported: a selected job is no longer there. Reload the list."
        model_admin.message_user(request, told, messages.ERROR)
        return None
    name = ids[0] if len(ids) == 1 else f"{len(ids)}-jobs"
    return StreamingHttpResponse(
        Awaited(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=FORMS[form].content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}.{form}"',
            "X-Content-Type-Options": "nosniff",
        },
    )
