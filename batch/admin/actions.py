"""Cancel, retry and delete what expired. Each asks before it acts, and says what became of each
job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join

from batch.admin import cells
from batch.admin.deeds import CANCEL, DELETE, RETRY, Deed
from batch.admin.moments import stamp
from batch.admin.refusals import GONE, reason
from batch.errors import BatchError
from batch.models import BatchJob

# Django refuses a form of over 1000 fields, and the page that asks sends one for each job.
MOST_AT_ONCE = 500
SHOWN = 50
LINKED = 10


@admin.action(permissions=["change"], description="Cancel the selected jobs")
def cancel_jobs(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> HttpResponse | None:
    return _ask_or_act(CANCEL, model_admin, request, queryset)


@admin.action(permissions=["change"], description="Retry the selected jobs")
def retry_jobs(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> HttpResponse | None:
    return _ask_or_act(RETRY, model_admin, request, queryset)


@admin.action(permissions=["removal"], description="Delete the selected jobs that expired")
def delete_expired(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> HttpResponse | None:
    return _ask_or_act(DELETE, model_admin, request, queryset)


def _ask_or_act(
    deed: Deed, model_admin: Any, request: HttpRequest, queryset: QuerySet[BatchJob]
) -> HttpResponse | None:
    confirmed = bool(request.POST.get("post"))
    if confirmed:
        # What was asked about, also where it has left the list's filter in the meantime.
        asked = set(request.POST.getlist(ACTION_CHECKBOX_NAME))
        queryset = model_admin.get_queryset(request).filter(pk__in=asked)
    jobs = list(queryset[: MOST_AT_ONCE + 1])
    if len(jobs) > MOST_AT_ONCE:
        model_admin.message_user(
            request,
            f"Nothing was changed: over {MOST_AT_ONCE} jobs are selected, and at most"
            f" {MOST_AT_ONCE} can be taken at once. Narrow the list with its filters, or select"
            " the jobs page by page.",
            messages.ERROR,
        )
        return None
    if not confirmed:
        stamp(jobs, queryset.db)
        return _ask(deed, model_admin, request, jobs)
    _act(deed, model_admin, request, jobs, gone=len(asked) - len(jobs))
    return None


def _ask(
    deed: Deed, model_admin: Any, request: HttpRequest, jobs: Sequence[BatchJob]
) -> HttpResponse:
    rows = [
        (
            cells.inner_link(model_admin.address("change", BatchJob, job.pk), job.pk),
            model_admin.state(job),
            model_admin.progress(job),
            cells.plain(job.caller),
            deed.fits(job),
        )
        for job in jobs[:SHOWN]
    ]
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"{deed.verb.capitalize()} jobs?",
        "deed": deed,
        "jobs": jobs,
        "rows": rows,
        "left_out": len(jobs) - len(rows),
        "fitting": sum(map(deed.fits, jobs)),
        "targets": sum(deed.counts(job) for job in jobs if deed.fits(job)),
        "checkbox": ACTION_CHECKBOX_NAME,
        "back": request.get_full_path(),
        "opts": model_admin.opts,
        "media": model_admin.media,
    }
    request.current_app = model_admin.admin_site.name
    return TemplateResponse(request, "admin/batch/batchjob/confirm.html", context)


def _act(
    deed: Deed, model_admin: Any, request: HttpRequest, jobs: Sequence[BatchJob], gone: int
) -> None:
    done: list[str] = []
    left: dict[str, int] = defaultdict(int)
    if gone:
        left[GONE] = gone
    for job in reversed(jobs):  # the oldest first, so that retries queue up in the old order
        try:
            led_to = deed.do(str(job.pk))
        except BatchError as error:
            left[reason(error, alone=len(jobs) == 1)] += 1
        else:
            done.append(led_to)
            _log(deed, model_admin, request, job, led_to)
    if done:
        model_admin.message_user(request, _told(deed, model_admin, done), messages.SUCCESS)
    for why, number in left.items():
        model_admin.message_user(
            request, f"Left {cells.counted(number, 'job')}: {why}.", messages.WARNING
        )


def _log(deed: Deed, model_admin: Any, request: HttpRequest, job: BatchJob, led_to: str) -> None:
    if deed.removes:
        model_admin.log_deletions(request, [job])
    else:
        note = "" if led_to == str(job.pk) else f" as job {led_to}"
        model_admin.log_change(request, job, f"{deed.past}{note}.")


def _told(deed: Deed, model_admin: Any, done: Sequence[str]) -> str:
    if deed.removes:
        return f"{deed.past} {cells.counted(len(done), 'job')}."
    addresses = [model_admin.address("change", BatchJob, job_id) for job_id in done[:LINKED]]
    links = format_html_join(
        ", ", "{}", ((cells.inner_link(*both),) for both in zip(addresses, done, strict=False))
    )
    more = f" and {len(done) - LINKED} more" if len(done) > LINKED else ""
    return format_html("{} {}: {}{}.", deed.past, cells.counted(len(done), "job"), links, more)
