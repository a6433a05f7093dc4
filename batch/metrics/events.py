"""What happens in this process, counted as the signals tell it: mostly a worker.

A signal names a row and its status; the rest is read from the row, without its result: a query by
an index for each outcome.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from prometheus_client import Counter, Histogram

from batch import database
from batch.models import BatchJob, BatchTarget
from batch.signals import job_finished, target_finished

TARGETS = Counter("batch_targets", "Outcomes stored here", ["status", "code"])
TARGET_SECONDS = Histogram(
    "batch_target_seconds",
    "From the start of a target to its outcome",
    ["status"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
)
JOBS = Counter("batch_jobs", "Jobs that became terminal here", ["status"])
JOB_WAITING_SECONDS = Histogram(
    "batch_job_waiting_seconds",
    "From submit to the first claim, of jobs that became terminal here",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400),
)


def count() -> None:
    """Count from now on. Called again it changes nothing."""
    target_finished.connect(_target, dispatch_uid="batch.metrics")
    job_finished.connect(_job, dispatch_uid="batch.metrics")


def _target(job_id: str, idx: int, status: str, **more: Any) -> None:
    using = database.alias()
    rows = BatchTarget.objects.using(using).filter(job=uuid.UUID(job_id), idx=idx).order_by()
    # Nothing is there of a job that was deleted since.
    for code, started, finished in rows.values_list("code", "started_at", "finished_at"):
        TARGETS.labels(status, code).inc()
        _observe(TARGET_SECONDS.labels(status), started, finished)


def _job(job_id: str, status: str, **more: Any) -> None:
    JOBS.labels(status).inc()
    using = database.alias()
    rows = BatchJob.objects.using(using).filter(id=job_id).order_by()
    for created, started in rows.values_list("created_at", "started_at"):
        _observe(JOB_WAITING_SECONDS, created, started)


def _observe(histogram: Histogram, begun: datetime | None, ended: datetime | None) -> None:
    if begun and ended:  # one that was never begun took no time
        histogram.observe(max(timedelta(), ended - begun).total_seconds())
