"""A job's results, one row a target, in the one shape that every export has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from batch import database
from batch.models import BatchTarget

ROWS_AT_ONCE = 20  # each may hold RESULT_MAX_BYTES


def result_rows(job_id: str) -> Iterator[dict[str, Any]]:
    """A dict for each target in order, read in small portions.

    Keys: job, idx, url, status, content, error, hint, code, options, meta, details,
    started_at, finished_at.
    """
    targets = BatchTarget.objects.using(database.alias()).filter(job__id=job_id).order_by("idx")
    idx = 0
    while portion := list(targets.filter(idx__gte=idx)[:ROWS_AT_ONCE]):
        for target in portion:
            result = target.result or {}
            yield {
                "job": str(target.job_id),
                "idx": target.idx,
                "url": target.url,
                "status": target.status,
                "content": result.get("content"),
                "error": target.error,
                "hint": target.hint,
                "code": target.code,
                "options": target.options,
                "meta": result.get("meta"),
                "details": target.details,
                "started_at": target.started_at,
                "finished_at": target.finished_at,
            }
        idx = portion[-1].idx + 1
