"""Cancel and retry. Both ask before they act, act through the runner alone, and say what became
of each job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join

from batch.admin import cells
from batch.admin.refusals import ENDED, GONE, reason
from batch.errors import BatchError
from batch.models import LIVE, BatchJob
from batch.runner import Runner

# Django refuses a form of over 1000 fields, and the page that asks sends one for each job.
MOST_AT_ONCE = 500
SHOWN = 50
LINKED = 10


@dataclass(frozen=True)
class Deed:
    """What an action does to one job. ``do`` gives the id of the job that the doer should look
    at next, or raises a refusal."""

    name: str
    verb: str
    past: str
    do: Callable[[str], str]
    promise: str
    fits: Callable[[BatchJob], bool]


class _EndedError(BatchError):
    """There was nothing left to cancel."""


def _cancel(job_id: str) -> str:
    if not Runner().cancel(job_id):
        raise _EndedError(ENDED)
    return job_id


def _retry(job_id: str) -> str:
    return Runner().retry(job_id).id


CANCEL = Deed(
    name="cancel_jobs",
    verb="cancel",
    past="Cancelled",
    do=_cancel,
    promise="A target in flight is still finished and stored; those after it are not fetched."
    " Results that are stored stay until the lease lapses.",
    fits=lambda job: job.status in LIVE,
)
RETRY = Deed(
    name="retry_jobs",
    verb="retry",
    past="Retried",
    do=_retry,
    promise="Each becomes a new job of the same caller, with the targets that failed or were not"
    " fetched. The limits on jobs and targets hold for it; the old job stays as it is.",
    fits=lambda job: job.status not in LIVE and bool(_unfinished(job)),
)


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
        "targets": sum(_unfinished(job) for job in jobs if deed.fits(job)),
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
            note = "" if led_to == str(job.pk) else f" as job {led_to}"
            model_admin.log_change(request, job, f"{deed.past}{note}.")
    if done:
        addresses = [model_admin.address("change", BatchJob, job_id) for job_id in done[:LINKED]]
        links = format_html_join(
            ", ", "{}", ((cells.inner_link(*both),) for both in zip(addresses, done, strict=False))
        )
        more = f" and {len(done) - LINKED} more" if len(done) > LINKED else ""
        text = format_html("{} {}: {}{}.", deed.past, _jobs(len(done)), links, more)
        model_admin.message_user(request, text, messages.SUCCESS)
    for why, number in left.items():
        model_admin.message_user(request, f"Left {_jobs(number)}: {why}.", messages.WARNING)


def _jobs(number: int) -> str:
    return f"{number:,} job" if number == 1 else f"{number:,} jobs"


def _unfinished(job: BatchJob) -> int:
    return job.targets_total - job.targets_done + job.targets_failed
