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
from bench.ours import prepare, targets

TTL = timedelta(days=1)
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


def drain(count: int) -> float:
    submission = Runner().submit("bare", "", targets(count))
    with psycopg.connect(os.environ["BENCH_DATABASE"]) as connection:
        started = time.perf_counter()
        with connection.cursor() as cursor:
            for idx in range(count):
                now = datetime.now(UTC)
                last = idx + 1 == count
                job = ("done", now, "", None) if last else ("running", None, "bench", now + TTL)
                cursor.execute(UPDATE_JOB, (*job, now + TTL, 0, submission.id, 0))
                assert cursor.rowcount == 1
                outcome = ("done", '{"content":"ok","meta":{}}', "", "", "", None, now, now)
                cursor.execute(UPDATE_TARGET, (*outcome, submission.id, idx))
                assert cursor.rowcount == 1
                connection.commit()
        return (time.perf_counter() - started) / count


__all__ = ["ASKED", "drain", "prepare"]
ASKED = (drain,)
