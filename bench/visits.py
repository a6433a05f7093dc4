"""What there is to look at, and who looks: rows made at once, their pages, and a log-in."""

from __future__ import annotations

import time
from datetime import timedelta
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from bench import crowd

API = "/api/jobs/"
JOBS = "/admin/batch/batchjob/"
TARGETS = "/admin/batch/batchtarget/"
ROWS_AT_ONCE = 100


def prepare() -> None:
    call_command("migrate", verbosity=0)


def fill(jobs: int) -> float:
    """Make a crowd of jobs; the seconds it took."""
    connection.ensure_connection()
    started = time.perf_counter()
    crowd.fill(connection.connection, jobs)
    return time.perf_counter() - started


def fill_expired(jobs: int) -> None:
    connection.ensure_connection()
    crowd.fill(connection.connection, jobs, crowd.expired)


def count() -> int:
    return BatchJob.objects.count()


def log_in() -> str:
    """The cookie of somebody who sees everything, and whose are a tenth of the crowd's jobs."""
    user, _ = User.objects.get_or_create(
        pk=1, defaults={"username": "root", "is_staff": True, "is_superuser": True}
    )
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].OutputString()


def addresses() -> list[tuple[str, str]]:
    """The lists of a crowd, each with what it is."""
    large = BatchJob.objects.order_by("-targets_total")[0]
    size = f"{large.targets_total:,}"
    page = f"{JOBS}{large.pk}/change/"
    year_ago = (timezone.now() - timedelta(days=363)).isoformat()
    return [
        ("API: the caller's jobs", API),
        ("API: those that failed", _with(API, status="failed")),
        ("API: the oldest", _with(API, created_before=year_ago)),
        ("API: everybody's", _with(API, all=1)),
        ("API: everybody's that failed", _with(API, all=1, status="failed")),
        ("API: everybody's oldest", _with(API, all=1, created_before=year_ago)),
        (f"API: targets of a job of {size}", f"{API}{large.pk}/targets/"),
        (
            "API: those of them that failed, none",
            _with(f"{API}{large.pk}/targets/", status="failed"),
        ),
        ("admin: jobs, and the overview", JOBS),
        ("admin: page 2", _with(JOBS, p=2)),
        ("admin: page 100", _with(JOBS, p=100)),
        ("admin: live", _with(JOBS, status="live")),
        ("admin: partial", _with(JOBS, status="partial")),
        ("admin: a class", _with(JOBS, **{"class": "staff"})),
        ("admin: today", _with(JOBS, created="today")),
        ("admin: before the past 30 days", _with(JOBS, created="older")),
        ("admin: with failures", _with(JOBS, failures="yes")),
        (
            "admin: all four filters",
            _with(JOBS, status="failed", created="month", failures="yes", **{"class": "staff"}),
        ),
        ("admin: a caller", _with(JOBS, q="user:1")),
        ("admin: a URL of every tenth job", _with(JOBS, q=crowd.FRONT_PAGE)),
        ("admin: a URL of no job", _with(JOBS, q="https://nowhere.example.org/")),
        (f"admin: a job of {size} targets", page),
        ("admin: its last page", _with(page, p=large.targets_total)),
        ("admin: all targets", TARGETS),
    ]


def _with(path: str, **query: object) -> str:
    return f"{path}?{urlencode(query)}"


def purge() -> int:
    return Runner().purge()


def count_expired() -> float:
    """The seconds that ``batch_purge --dry-run`` looks for."""
    started = time.perf_counter()
    assert Runner().purge(dry_run=True)
    return time.perf_counter() - started


def fill_one(targets: int, size: int, caller: str = "user:1") -> str:
    """Make a job of results of ``size`` characters that no database packs into much less."""
    now = timezone.now()
    job = BatchJob.objects.create(
        caller=caller,
        idem_key="large",
        status="done",
        targets_total=targets,
        targets_done=targets,
        finished_at=now,
    )
    for start in range(0, targets, ROWS_AT_ONCE):
        BatchTarget.objects.bulk_create(
            BatchTarget(
                job=job,
                idx=idx,
                url=f"https://example.com/{idx}",
                status="done",
                result={"content": _text(idx, size), "meta": {"title": f"Page {idx}"}},
            )
            for idx in range(start, min(start + ROWS_AT_ONCE, targets))
        )
    return str(job.pk)


def _text(number: int, size: int) -> str:
    return " ".join(f"{number * 7919 + i:x}" for i in range(size // 6))[:size]


ASKED = (fill, fill_expired, purge, count, log_in, addresses, count_expired, fill_one)
