"""The targets on their job's page, so many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.core.paginator import EmptyPage
from django.db.models import QuerySet
from django.http import HttpRequest

from batch.admin import cells
from batch.admin.facts import NOT_IN_LISTS
from batch.admin.paging import IndexPaginator, page_asked
from batch.admin.targets import TargetAdmin
from batch.models import BatchJob, BatchTarget, TargetState

if TYPE_CHECKING:
    from batch.admin.jobs import JobAdmin

PER_PAGE = 50
CELLS = ("state", "link", "kind", "size", "time_taken", "trouble")


def page_of_targets(jobs: JobAdmin, job: BatchJob, request: HttpRequest) -> dict[str, Any]:
    """What the template of a job's page needs for its table of targets."""
    targets = BatchTarget.objects.using(job._state.db).filter(job_id=job.pk).defer(*NOT_IN_LISTS)
    pages = IndexPaginator(targets, PER_PAGE, job.targets_total)
    try:
        number = pages.validate_number(page_asked(request.GET.get("p")))
    except EmptyPage:
        number = pages.num_pages
    return {
        "heads": ["#", *(getattr(TargetAdmin, cell).short_description for cell in CELLS)],
        "targets": list(_rows(jobs, pages.rows(number))),
        "pages": pages.get_elided_page_range(number) if pages.num_pages > 1 else [],
        "page": number,
        "lists": _lists(jobs, job),
    }


def _rows(jobs: JobAdmin, targets: QuerySet[BatchTarget]) -> Iterator[dict[str, Any]]:
    shown = TargetAdmin(BatchTarget, jobs.admin_site)
    found = list(targets)
    shown.prepare(found, targets.db)
    for target in found:
        yield {
            "link": cells.inner_link(shown.address("change", BatchTarget, target.pk), target.idx),
            "cells": [(cell, getattr(shown, cell)(target)) for cell in CELLS],
        }


def _lists(jobs: JobAdmin, job: BatchJob) -> list[tuple[str, str]]:
    """Where the same targets are listed with filters."""
    by_status = [(status.label, {"status": status.value}) for status in TargetState]
    return [
        (label, jobs.address("changelist", BatchTarget, job=job.pk, **query))
        for label, query in [("All", {}), *by_status]
    ]
