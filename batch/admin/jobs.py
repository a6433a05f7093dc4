"""The jobs: their list, and a page for each with its targets."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from batch.admin import cells, moments, search
from batch.admin.actions import cancel_jobs, retry_jobs
from batch.admin.cells import NOTHING
from batch.admin.filters import ClassFilter, CreatedFilter, FailuresFilter, StatusFilter
from batch.admin.job_targets import page_of_targets
from batch.admin.moments import shown_at
from batch.admin.readonly import ReadOnlyAdmin
from batch.models import LIVE, BatchJob


class JobAdmin(ReadOnlyAdmin):
    actions = (cancel_jobs, retry_jobs)
    list_display = (
        "key",
        "state",
        "progress",
        "who",
        "tier",
        "created_short",
        "duration",
        "lease_left",
    )
    list_filter = (StatusFilter, ClassFilter, CreatedFilter, FailuresFilter)
    ordering = ("-created_at", "-id")
    search_fields = ("id",)
    search_help_text = search.JOBS_HELP
    fieldsets = [
        (None, {"fields": ["key", ("state", "progress"), "what_failed", ("who", "tier")]}),
        (
            "Times",
            {"fields": [("created", "started", "finished"), ("duration", "lease", "lease_left")]},
        ),
        ("Worker", {"fields": [("in_hand_of", "claim", "claim_expires"), "idem_key"]}),
    ]
    change_form_template = "admin/batch/batchjob/change_form.html"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return search.jobs(queryset, search_term), False

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        job: BatchJob = context["original"]
        context |= page_of_targets(self, job, request)
        live = job.status in LIVE
        context["job_actions"] = [
            name
            for name in self.get_actions(request)
            if (name == "cancel_jobs" and live) or (name == "retry_jobs" and not live)
        ]
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="job")
    def key(self, job: BatchJob) -> SafeString:
        return format_html('<span class="batch-key">{}</span>', str(job.id))

    @admin.display(description="status")
    def state(self, job: BatchJob) -> SafeString:
        if job.status in LIVE and job.started_at is None:
            return format_html(
                '{} <span class="batch-under">{}</span>', cells.badge(job.status), "no worker yet"
            )
        return cells.badge(job.status)

    @admin.display(description="progress")
    def progress(self, job: BatchJob) -> SafeString:
        return cells.progress(
            job.targets_total, job.targets_done, job.targets_failed, job.status in LIVE
        )

    @admin.display(description="caller")
    def who(self, job: BatchJob) -> SafeString:
        return cells.inner_link(self.address("changelist", BatchJob, q=job.caller), job.caller)

    @admin.display(description="class")
    def tier(self, job: BatchJob) -> SafeString | str:
        if not job.caller_class:
            return NOTHING
        address = self.address("changelist", BatchJob, **{"class": job.caller_class})
        return cells.inner_link(address, job.caller_class)

    @admin.display(description="created")
    def created(self, job: BatchJob) -> str:
        return moments.text(job.created_at)

    @admin.display(description="created")
    def created_short(self, job: BatchJob) -> str:
        return moments.text(job.created_at, zone=False)

    @admin.display(description="started")
    def started(self, job: BatchJob) -> str:
        return moments.text(job.started_at) or NOTHING

    @admin.display(description="finished")
    def finished(self, job: BatchJob) -> str:
        return moments.text(job.finished_at) or NOTHING

    @admin.display(description="duration")
    def duration(self, job: BatchJob) -> str:
        return moments.took(job.started_at, job.finished_at, shown_at(job)) or NOTHING

    @admin.display(description="kept until")
    def lease(self, job: BatchJob) -> str:
        return moments.text(job.lease_expires_at)

    @admin.display(description="lease left")
    def lease_left(self, job: BatchJob) -> str:
        left = job.lease_expires_at - shown_at(job)
        if left.total_seconds() > 0:
            return moments.span(left)
        return "lapsed, kept while it is live" if job.status in LIVE else "lapsed"

    @admin.display(description="error")
    def what_failed(self, job: BatchJob) -> SafeString:
        return cells.plain(job.error or NOTHING, cells.MAX_VALUE_CHARS)

    @admin.display(description="in hand of")
    def in_hand_of(self, job: BatchJob) -> SafeString:
        return cells.plain(job.worker or NOTHING)

    @admin.display(description="claim ends")
    def claim_expires(self, job: BatchJob) -> str:
        return moments.text(job.claim_expires_at) or NOTHING
