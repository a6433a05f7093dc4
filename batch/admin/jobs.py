"""The jobs: their list, and a page for each with its targets."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from batch import conf
from batch.admin import cells, moments, search
from batch.admin.actions import cancel_jobs, delete_expired, retry_jobs
from batch.admin.adding import AddingAdmin
from batch.admin.cells import NOTHING
from batch.admin.deeds import DEEDS
from batch.admin.downloads import export_csv, export_jsonl, export_zip
from batch.admin.filters import ClassFilter, CreatedFilter, FailuresFilter, StatusFilter
from batch.admin.job_targets import page_of_targets
from batch.admin.live import LiveAdmin, watched
from batch.admin.moments import shown_at
from batch.admin.overview import overview
from batch.models import LIVE, BatchJob


class JobAdmin(LiveAdmin, AddingAdmin):
    actions = (
        cancel_jobs,
        retry_jobs,
        export_jsonl,
        export_csv,
        export_zip,
        delete_expired,
    )
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
    live_cells = (
        "state",
        "progress",
        "started",
        "finished",
        "duration",
        "lease",
        "lease_left",
        "in_hand_of",
    )
    list_filter = (StatusFilter, ClassFilter, CreatedFilter, FailuresFilter)
    ordering = ("-created_at", "-id")
    search_fields = ("id",)
    search_help_text = search.JOBS_HELP
    fieldsets = [
        (None, {"fields": [("state", "progress", "who", "tier")]}),
        ("Failure", {"fields": ["what_failed"]}),
        (
            "Times",
            {"fields": [("created", "started", "finished", "duration", "lease", "lease_left")]},
        ),
        ("Worker", {"fields": [("in_hand_of", "claim", "claim_expires"), "idem_key"]}),
    ]
    change_form_template = "admin/batch/batchjob/change_form.html"
    change_list_template = "admin/batch/batchjob/change_list.html"

    def get_fieldsets(self, request: HttpRequest, obj: BatchJob | None = None) -> Any:
        """Without the failure of a job that has none."""
        failed = obj is not None and bool(obj.error)
        return [part for part in self.fieldsets if failed or part[0] != "Failure"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[BatchJob]:
        jobs = super().get_queryset(request)
        return jobs.select_related("turn") if conf.settings().lane_rules else jobs

    def has_removal_permission(self, request: HttpRequest) -> bool:
        """Of the action that deletes what expired. Django's own permission to delete stays
        refused: it would bring Django's own action, which asks no runner."""
        codename = get_permission_codename("delete", self.opts)
        return bool(request.user.has_perm(f"{self.opts.app_label}.{codename}"))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return search.jobs(queryset, search_term), False

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        job: BatchJob = context["original"]
        context |= page_of_targets(self, job, request)
        context |= self.live_context([job])
        offered = (DEEDS[name] for name in self.get_actions(request) if name in DEEDS)
        context["job_deeds"] = [deed for deed in offered if deed.fits(job)]
        return super().render_change_form(request, context, *args, **kwargs)

    def list_context(self, changes: Any) -> dict[str, Any]:
        """Who searches or filters wants the rows alone, and the overview has its price."""
        plain = not (changes.query or changes.has_active_filters or changes.page_num > 1)
        rows = self.live_context(changes.result_list)
        return {**rows, "overview": overview(changes.queryset.db)} if plain else rows

    @admin.display(description="job")
    def key(self, job: BatchJob) -> SafeString:
        return format_html('<span class="batch-key">{}</span>', str(job.id))

    @admin.display(description="status")
    @watched
    def state(self, job: BatchJob) -> SafeString:
        if not (why := self._waits(job)):
            return cells.badge(job.status)
        return format_html(
            '{} <span class="batch-under">{}</span>', cells.badge(job.status), cells.plain(why)
        )

    @staticmethod
    def _waits(job: BatchJob) -> str:
        """What a live job waits for, if it does."""
        if job.status not in LIVE:
            return ""
        if job.started_at is None:
            return "no worker yet"
        turn = job._state.fields_cache.get("turn")  # read along where there are lanes
        return f"waits for its turn at {turn.lane}" if turn and turn.asked_until else ""

    @admin.display(description="progress")
    @watched
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
    @watched
    def started(self, job: BatchJob) -> str:
        return moments.text(job.started_at) or NOTHING

    @admin.display(description="finished")
    @watched
    def finished(self, job: BatchJob) -> str:
        return moments.text(job.finished_at) or NOTHING

    @admin.display(description="duration")
    @watched
    def duration(self, job: BatchJob) -> str:
        return moments.took(job.started_at, job.finished_at, shown_at(job)) or NOTHING

    @admin.display(description="kept until")
    @watched
    def lease(self, job: BatchJob) -> str:
        return moments.text(job.lease_expires_at)

    @admin.display(description="lease left")
    @watched
    def lease_left(self, job: BatchJob) -> str:
        left = job.lease_expires_at - shown_at(job)
        if left.total_seconds() > 0:
            return moments.span(left)
        return "lapsed, kept while it is live" if job.status in LIVE else "lapsed"

    @admin.display(description="error")
    def what_failed(self, job: BatchJob) -> SafeString:
        return cells.plain(job.error or NOTHING, cells.MAX_VALUE_CHARS)

    @admin.display(description="in hand of")
    @watched
    def in_hand_of(self, job: BatchJob) -> SafeString:
        return cells.plain(job.worker or NOTHING)

    @admin.display(description="claim ends")
    def claim_expires(self, job: BatchJob) -> str:
        return moments.text(job.claim_expires_at) or NOTHING
