"""``python -m bench.crowd [--jobs N] DATABASE_URL``: what a year of use leaves in a database.

For PostgreSQL, and for tables that are there and empty. A job has five targets on average: most
have one to eight, one in 10,000 has 4,000, and one of the last has a tenth as many as there are
jobs. More of them are young than old, the last ones live, and the first have expired.
"""

from __future__ import annotations

import argparse
import json
import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import psycopg

from batch.fields import text_hash

JOBS = 1_000_000
YEAR = timedelta(days=365)
KEPT = timedelta(days=364)
LIVE = 20
IN_HAND = 6
CALLERS = 1000
STATUSES = {"done": 80, "partial": 10, "failed": 6, "cancelled": 4}
CODES = ("http_status", "timeout", "connection_lost", "dns", "robots")
FRONT_PAGE = "https://news.example.org/"
FRONT_PAGE_EVERY = 10  # jobs
WORDS = ("a", "page", "that", "was", "asked", "for", "says", "nothing", "new", "about", "jobs")

_JOB = (
    "id, caller, caller_class, idem_key, status, error, targets_total, targets_done,"
    " targets_failed, created_at, started_at, finished_at, lease_expires_at, worker, claim,"
    " claim_expires_at"
)
_TARGET = (
    "job_id, idx, url, url_hash, lane, options, status, result, error, hint, code, started_at,"
    " finished_at"
)


class Job(NamedTuple):
    """What the rows of a job are made of."""

    number: int
    id: uuid.UUID
    caller: int
    status: str
    total: int
    done: int
    failed: int
    created: datetime
    finished: datetime | None


Maker = Callable[[int, datetime], Iterator[Job]]


def fill(connection: psycopg.Connection[Any], count: int, make: Maker | None = None) -> None:
    """Store what ``make`` makes, by default :func:`jobs`."""
    now = datetime.now(UTC)
    made = make or jobs
    with connection.transaction(), connection.cursor() as cursor:
        for table, columns, rows in (
            ("batch_batchjob", _JOB, map(_job_row, made(count, now))),
            ("batch_batchtarget", _TARGET, _target_rows(made(count, now))),
        ):
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
    # As the server's own housekeeping would have done in a year.
    connection.execute("VACUUM ANALYZE batch_batchjob, batch_batchtarget")


def jobs(count: int, now: datetime) -> Iterator[Job]:
    """The same jobs for the same arguments."""
    pick = random.Random(count)
    for number in range(count):
        left = count - number
        created = now - YEAR * (left / count) ** 2
        milliseconds = int(created.timestamp() * 1000)
        key = uuid.UUID(int=milliseconds << 80 | 7 << 76 | 2 << 62 | pick.getrandbits(62))
        caller = int(CALLERS ** pick.random())  # the first has a tenth of all jobs
        total = _total(number, left, count)
        (status,) = pick.choices(list(STATUSES), list(STATUSES.values()))
        if left <= LIVE:
            done = total // 2 if left > LIVE - IN_HAND else 0
            yield Job(number, key, caller, "running", total, done, 0, created, None)
            continue
        done = total // 2 if status == "cancelled" else total
        failed = {"failed": total, "partial": (total + 1) // 3}.get(status, 0)
        finished = created + timedelta(seconds=0.2 * done)
        yield Job(number, key, caller, status, total, done, failed, created, finished)


def expired(count: int, now: datetime) -> Iterator[Job]:
    """Jobs of five targets whose lease has lapsed, all of them."""
    for number in range(count):
        created = now - 2 * YEAR + timedelta(seconds=number)
        key = uuid.UUID(int=int(created.timestamp() * 1000) << 80 | 7 << 76 | 2 << 62 | number)
        yield Job(number, key, number % CALLERS, "done", 5, 5, 0, created, created)


def _total(number: int, left: int, count: int) -> int:
    if left == LIVE + 1:
        return max(1, count // 10)
    return 4000 if number % 10_000 == 5000 else 1 + number % 8


def _job_row(job: Job) -> tuple[Any, ...]:
    in_hand = job.status == "running" and job.done > 0
    begun = job.done > 0 or job.finished is not None
    return (
        job.id,
        f"user:{job.caller}",
        "staff" if job.caller % 20 == 0 else "cli" if job.caller % 5 == 1 else "user",
        f"{job.id.int:064x}",
        job.status,
        "",
        job.total,
        job.done,
        job.failed,
        job.created,
        job.created if begun else None,
        job.finished,
        (job.finished or job.created) + KEPT,
        "host:1:aa" if in_hand else "",
        int(begun),
        job.created + YEAR if in_hand else None,
    )


def _target_rows(jobs: Iterator[Job]) -> Iterator[tuple[Any, ...]]:
    results = _results()
    for job in jobs:
        started = job.created.isoformat()
        for idx in range(job.total):
            url = f"https://host{job.number % 5000}.example.org/pages/{job.number}/{idx}"
            if idx == 0 and job.number % FRONT_PAGE_EVERY == 0:
                url = FRONT_PAGE
            finished = (job.created + timedelta(seconds=0.2 * (idx + 1))).isoformat()
            row = (str(job.id), idx, url, text_hash(url), "", "{}")
            if idx < job.failed:
                code = CODES[(job.number + idx) % len(CODES)]
                told = ("failed", None, "the page did not come", "try later", code)
            elif idx < job.done:
                told = ("done", results[(job.number + idx) % len(results)], "", "", "")
            elif idx == job.done and job.status == "running" and job.done:
                yield *row, "running", None, "", "", "", started, None
                continue
            else:
                yield *row, "pending", None, "", "", "", None, None
                continue
            yield *row, *told, started, finished


def _results() -> list[str]:
    """Of some kilobyte each."""
    pick = random.Random(0)
    texts = [" ".join(pick.choices(WORDS, k=pick.randrange(40, 300))) for _ in range(100)]
    return [
        json.dumps(
            {
                "content": text,
                "meta": {
                    "content_chars": len(text),
                    "content_type": "text/html; charset=utf-8",
                    "detected_type": "text/html",
                    "status_code": 200,
                    "title": text[:40],
                },
            }
        )
        for text in texts
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.crowd", description=__doc__)
    parser.add_argument("url", metavar="DATABASE_URL")
    parser.add_argument("--jobs", type=int, default=JOBS)
    options = parser.parse_args()
    with psycopg.connect(options.url, autocommit=True) as connection:
        fill(connection, options.jobs)


if __name__ == "__main__":
    main()
