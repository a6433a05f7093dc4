"""Live jobs on pages that are open: a script asks here what has changed, and puts it in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from batch.admin.cells import counted
from batch.admin.moments import stamp
from batch.admin.readonly import ReadOnlyAdmin, outside_transactions
from batch.ids import parse_id
from batch.models import LIVE, BatchJob

# A page of the list has no more rows, and so many ids still fit a request line of 4 KB.
MOST_JOBS = 100

Cell = Callable[[Any, BatchJob], SafeString | str]


def watched(cell: Cell) -> Cell:
    """Mark what ``cell`` shows of a live job, so that the script finds and replaces it."""

    @wraps(cell)
    def shown(model_admin: Any, job: BatchJob) -> SafeString | str:
        inner = cell(model_admin, job)
        if job.status not in LIVE:
            return inner
        return format_html(
            '<span data-batch-job="{}" data-batch-cell="{}">{}</span>',
            str(job.pk),
            cell.__name__,
            inner,
        )

    return shown


class LiveAdmin(ReadOnlyAdmin):
    live_cells: tuple[str, ...] = ()

    class Media:
        js = [forms.Script("batch/live.js", defer=True)]

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_live"
        view = self.admin_site.admin_view(self.live_view)
        # Before Django's own, the last of which takes anything for a key.
        return [path("live/", view, name=name), *super().get_urls()]

    @outside_transactions
    @method_decorator(require_GET)
    def live_view(self, request: HttpRequest) -> HttpResponse:
        """What the watched cells of the jobs asked for show now; one query for all of them."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        asked = map(parse_id, request.GET.get("jobs", "").split(".")[:MOST_JOBS])
        found = self.get_queryset(request).filter(pk__in={key for key in asked if key})
        jobs = list(found)
        stamp(jobs, found.db)
        told = {str(job.pk): self._now(job) for job in jobs}
        # It holds HTML, which no browser is to take it for.
        return JsonResponse({"jobs": told}, headers={"X-Content-Type-Options": "nosniff"})

    def _now(self, job: BatchJob) -> dict[str, Any]:
        targets = counted(job.targets_total, "target")
        failed = f", {job.targets_failed:,} failed" if job.targets_failed else ""
        return {
            "live": job.status in LIVE,
            "status": job.status,
            "said": f"{job.targets_done:,} of {targets} ended{failed}",
            "cells": {name: getattr(self, name)(job) for name in self.live_cells},
        }

    def live_context(self, jobs: Iterable[BatchJob]) -> dict[str, Any]:
        """Where the script asks; it is told so where there is something to ask about."""
        live = any(job.status in LIVE for job in jobs)
        return {"live_address": self.address("live", BatchJob) if live else ""}

    def list_context(self, changes: Any) -> dict[str, Any]:
        return self.live_context(changes.result_list)

    @outside_transactions
    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        context = answer.context_data if isinstance(answer, TemplateResponse) else None
        if context and "cl" in context:  # and not the page that asks before an action
            context |= self.list_context(context["cl"])
        return answer
