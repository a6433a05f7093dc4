"""What happens in this process, counted as the signals tell it: mostly a worker.

A signal names a row and its status; the rest is read from the row, without its result: a query by
an index for each outcome. Refusals are told where the submit was, mostly a web process.
"""

from __future__ import annotations

import threading
import uuid
from datetime import datetime, timedelta
from typing import Any

from prometheus_client import Counter, Histogram

from batch import conf, database
from batch.models import BatchJob, BatchTarget
from batch.signals import claim_reaped, job_finished, job_refused, target_finished

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
CLAIMS_REAPED = Counter("batch_claims_reaped", "Jobs taken here from workers that died")
REFUSALS = Counter("batch_refusals", "Submits and retries refused here", ["cap"])
for _cap in conf.CAPS:
    REFUSALS.labels(_cap.lower())  # told as 0 before the first

MOST_CODES = 100
OTHER = "other"
_codes: set[str] = set()
_codes_lock = threading.Lock()


def count() -> None:
    """Count from now on. Called again it changes nothing."""
    target_finished.connect(_target, dispatch_uid="batch.metrics")
    job_finished.connect(_job, dispatch_uid="batch.metrics")
    claim_reaped.connect(_claim_reaped, dispatch_uid="batch.metrics")
    job_refused.connect(_refused, dispatch_uid="batch.metrics")


def _claim_reaped(**what: Any) -> None:
    CLAIMS_REAPED.inc()


def _refused(cap: str, **more: Any) -> None:
    REFUSALS.labels(cap).inc()


def _target(job_id: str, idx: int, status: str, **more: Any) -> None:
    using = database.alias()
    rows = BatchTarget.objects.using(using).filter(job=uuid.UUID(job_id), idx=idx).order_by()
    # Nothing is there of a job that was deleted since.
    for code, started, finished in rows.values_list("code", "started_at", "finished_at"):
        TARGETS.labels(status, _bounded(code)).inc()
        _observe(TARGET_SECONDS.labels(status), started, finished)


def _bounded(code: str) -> str:
    """``code``, or OTHER once a fetch function has made up too many: each is a series for ever,
    here and in Prometheus."""
    with _codes_lock:
        if len(_codes) < MOST_CODES:
            _codes.add(code)
        return code if code in _codes else OTHER


def _job(job_id: str, status: str, **more: Any) -> None:
    JOBS.labels(status).inc()
    using = database.alias()
    rows = BatchJob.objects.using(using).filter(id=job_id).order_by()
    for created, started in rows.values_list("created_at", "started_at"):
        _observe(JOB_WAITING_SECONDS, created, started)


def _observe(histogram: Histogram, begun: datetime | None, ended: datetime | None) -> None:
    if begun and ended:  # one that was never begun took no time
        histogram.observe(max(timedelta(), ended - begun).total_seconds())
