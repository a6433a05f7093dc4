"""The targets: a job's list of them, and a page for each with all that its fetch gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from batch.admin import cells, facts, moments, search
from batch.admin.cells import NOTHING
from batch.admin.filters import JobFilter, TargetStatusFilter
from batch.admin.moments import shown_at
from batch.admin.readonly import ReadOnlyAdmin
from batch.models import BatchJob, BatchTarget


class TargetAdmin(ReadOnlyAdmin):
    list_display = ("place", "of_job", "state", "link", "kind", "size", "time_taken", "trouble")
    list_filter = (JobFilter, TargetStatusFilter)
    search_fields = ("url",)
    search_help_text = search.TARGETS_HELP
    not_in_lists = facts.NOT_IN_LISTS
    fieldsets = [
        (None, {"fields": [("state", "of_job", "place", "lane"), "full_link", "given_options"]}),
        ("Times", {"fields": [("started", "finished", "time_taken")]}),
        ("Failure", {"fields": ["code", "what_failed", "what_to_do", "failure_details"]}),
        ("Result", {"fields": ["content", "meta"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: BatchTarget | None = None) -> Any:
        """Without the part that the target has nothing for."""
        empty = set()
        if obj is not None and not (obj.error or obj.code):
            empty.add("Failure")
        if obj is not None and obj.result is None:
            empty.add("Result")
        return [part for part in self.fieldsets if part[0] not in empty]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may see jobs may see what is in them, as in the REST API."""
        codename = get_permission_codename("view", BatchJob._meta)
        may_see_jobs = request.user.has_perm(f"{BatchJob._meta.app_label}.{codename}")
        return may_see_jobs or super().has_view_permission(request, obj)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        within_a_job = request.GET.get(JobFilter.parameter_name)
        return tuple(each for each in self.list_display if each != "of_job" or not within_a_job)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        # Each follows an index: (job, idx) within a job, else the key.
        return ("idx",) if request.GET.get(JobFilter.parameter_name) else ("-id",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return search.targets(queryset, search_term), False

    def prepare(self, rows: Sequence[BatchTarget], using: str) -> None:
        super().prepare(rows, using)
        facts.load(rows, using)

    # Cells of the list, and of the list on a job's page.

    @admin.display(description="index")
    def place(self, target: BatchTarget) -> str:
        return str(target.idx)

    @admin.display(description="job")
    def of_job(self, target: BatchTarget) -> SafeString:
        link = cells.inner_link(self.address("change", BatchJob, target.job_id), target.job_id)
        return format_html('<span class="batch-key">{}</span>', link)

    @admin.display(description="status")
    def state(self, target: BatchTarget) -> SafeString:
        return cells.badge(target.status)

    @admin.display(description="URL")
    def link(self, target: BatchTarget) -> SafeString:
        return cells.web_link(target.url, cells.LIST_URL_CHARS)

    @admin.display(description="type")
    def kind(self, target: BatchTarget) -> str:
        return cells.plain(facts.facts_of(target).kind or NOTHING)

    @admin.display(description="characters")
    def size(self, target: BatchTarget) -> str:
        chars = facts.facts_of(target).chars
        return NOTHING if chars is None else f"{chars:,}"

    @admin.display(description="time taken")
    def time_taken(self, target: BatchTarget) -> str:
        return moments.took(target.started_at, target.finished_at, shown_at(target)) or NOTHING

    @admin.display(description="error and hint")
    def trouble(self, target: BatchTarget) -> SafeString | str:
        if not target.error:
            return NOTHING
        return format_html(
            '<span class="batch-error">{}</span> <span class="batch-hint">{}</span>',
            cells.plain(target.error),
            cells.plain(target.hint),
        )

    # Fields of a target's page.

    @admin.display(description="started")
    def started(self, target: BatchTarget) -> str:
        return moments.text(target.started_at) or NOTHING

    @admin.display(description="finished")
    def finished(self, target: BatchTarget) -> str:
        return moments.text(target.finished_at) or NOTHING

    @admin.display(description="URL")
    def full_link(self, target: BatchTarget) -> SafeString:
        return cells.web_link(target.url)

    @admin.display(description="options")
    def given_options(self, target: BatchTarget) -> SafeString | str:
        return cells.table(target.options) if target.options else NOTHING

    @admin.display(description="error")
    def what_failed(self, target: BatchTarget) -> SafeString:
        return cells.plain(target.error, cells.MAX_VALUE_CHARS)

    @admin.display(description="hint")
    def what_to_do(self, target: BatchTarget) -> SafeString:
        return cells.plain(target.hint or NOTHING, cells.MAX_VALUE_CHARS)

    @admin.display(description="details")
    def failure_details(self, target: BatchTarget) -> SafeString | str:
        return cells.json_text(target.details) if target.details else NOTHING

    @admin.display(description="content")
    def content(self, target: BatchTarget) -> SafeString:
        content = (target.result or {}).get("content", "")
        return cells.pre(str(content), cells.MAX_CONTENT_CHARS)

    @admin.display(description="meta")
    def meta(self, target: BatchTarget) -> SafeString | str:
        meta = (target.result or {}).get("meta")
        return cells.table(meta) if meta else NOTHING
