"""Rows as a drain would leave them, made at once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from batch.models import LIVE, BatchJob, BatchTarget
from tests.connection import stored

RESULT = {"content": "some text", "meta": {"type": "text/html"}}


def job_of(user: User, status: str = "done", total: int = 0, **fields: Any) -> BatchJob:
    """A job without targets in the database; give `total` to have it claim some."""
    now = timezone.now()
    return BatchJob.objects.create(
        **{
            "caller": f"user:{user.pk}",
            "caller_class": "user",
            "idem_key": "0" * 64,
            "status": status,
            "targets_total": total,
            "finished_at": None if status in LIVE else now,
            "lease_expires_at": now + timedelta(hours=1),
            **{name: _stored(value) for name, value in fields.items()},
        }
    )


def _stored(value: Any) -> Any:
    return stored(value) if isinstance(value, datetime) and value.tzinfo else value


def targets_of(job: BatchJob, *statuses: str, **fields: Any) -> list[BatchTarget]:
    """Adds a target for each status, with what belongs to it, and counts them on the job."""
    made = BatchTarget.objects.bulk_create(
        BatchTarget(
            job=job,
            idx=idx,
            url=f"https://example.com/{idx}",
            status=status,
            **{
                "done": {"result": RESULT},
                "failed": {"error": "it broke", "hint": "try later", "code": "timeout"},
            }.get(status, {})
            | fields,
        )
        for idx, status in enumerate(statuses)
    )
    job.targets_total = len(statuses)
    job.targets_failed = statuses.count("failed")
    job.targets_done = job.targets_failed + statuses.count("done")
    job.save()
    return made
