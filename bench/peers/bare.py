"""The least that does the job: two UPDATEs in a transaction a target, by psycopg alone.

The same tables and columns as the runner writes, with psycopg's prepared statements. It marks
no next target as running, notices no cancel, and survives no fault.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

import psycopg

from batch.runner import Runner
from bench.ours import prepare, rest, targets

TTL = timedelta(days=1)
_jobs: list[str] = []  # that wait
UPDATE_JOB = """
    UPDATE batch_batchjob SET status = %s, finished_at = %s, worker = %s, claim_expires_at = %s,
        lease_expires_at = %s, targets_failed = targets_failed + %s,
        targets_done = targets_done + 1
    WHERE id = %s AND claim = %s AND status = 'running'
"""
UPDATE_TARGET = """
    UPDATE batch_batchtarget SET status = %s, result = %s::jsonb, error = %s, hint = %s,
        code = %s, details = %s::jsonb, started_at = %s, finished_at = %s
    WHERE job_id = %s AND idx = %s
"""


def fill(count: int) -> float:
    """Submit a job as the runner does; the seconds a target."""
    given = targets(count)
    started = time.perf_counter()
    _jobs.append(Runner().submit("bare", "", given).id)
    return (time.perf_counter() - started) / count


def drain(count: int) -> float:
    """Seconds a target of the job that was filled last."""
    job_id = _jobs.pop()
    with psycopg.connect(os.environ["BENCH_DATABASE"]) as connection:
        started = time.perf_counter()
        with connection.cursor() as cursor:
            for idx in range(count):
                now = datetime.now(UTC)
                last = idx + 1 == count
                job = ("done", now, "", None) if last else ("running", None, "bench", now + TTL)
                cursor.execute(UPDATE_JOB, (*job, now + TTL, 0, job_id, 0))
                assert cursor.rowcount == 1
                outcome = ("done", '{"content":"ok","meta":{}}', "", "", "", None, now, now)
                cursor.execute(UPDATE_TARGET, (*outcome, job_id, idx))
                assert cursor.rowcount == 1
                connection.commit()
        return (time.perf_counter() - started) / count


__all__ = ["ASKED", "drain", "fill", "prepare", "rest"]
ASKED = (fill, drain, rest)
