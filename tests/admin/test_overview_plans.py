"""With 100,000 jobs and targets in the tables, the overview reads parts of indexes."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batch.admin.overview import overview
from batch.admin.sample import MOST_JOBS, MOST_TARGETS
from batch.models import BatchJob, BatchTarget, JobStatus, TargetState
from tests.connection import connection
from tests.databases import ALIAS
from tests.unit.test_plans import many, scans  # the fixture, and how a plan is read

from .test_speed import grow

__all__ = ["many"]

SMALL = 5


@pytest.fixture(scope="module")
def targets(many: None, django_db_blocker: Any) -> Iterator[None]:
    """The newest jobs have a few targets, two others 50,000 each: one lives, one is old."""
    with django_db_blocker.unblock():
        now = timezone.now()
        newest = BatchJob.objects.order_by("-created_at")
        jobs = [job.pk for job in newest[: MOST_JOBS + 100]]
        old = BatchJob.objects.earliest("created_at")
        BatchJob.objects.filter(pk__in=jobs).update(
            started_at=now, targets_total=SMALL, targets_done=SMALL
        )
        live = BatchJob.objects.create(
            caller="live", idem_key="live", status=JobStatus.RUNNING, started_at=now
        )
        BatchTarget.objects.bulk_create(
            BatchTarget(
                job_id=job,
                idx=idx,
                url=f"https://host{idx}.example/",
                status=TargetState.DONE if idx % 2 else TargetState.FAILED,
                started_at=now - timedelta(seconds=idx),
                finished_at=now,
            )
            for job, number in [(live.pk, 100), (old.pk, 100), *((job, SMALL) for job in jobs)]
            for idx in range(number)
        )
        for job in (live, old):
            grow(job, 9)
        BatchTarget.objects.filter(job=live).update(started_at=now, finished_at=now)
        BatchJob.objects.filter(pk=live.pk).update(targets_done=51_000)
        with connection.cursor() as cursor:
            for table in ("batch_batchtarget", "batch_batchjob"):
                word = "TABLE " if connection.vendor == "mysql" else ""
                cursor.execute(f"ANALYZE {word}{table}")
        yield
        BatchTarget.objects.all()._raw_delete(ALIAS)


def whole_targets(sql: str) -> str:
    """The plan, if it reads all targets."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        plan = "\n".join(str(line[0]) for line in cursor.fetchall())
    return plan if "Seq Scan on batch_batchtarget" in plan else ""


def without_a_key(sql: str) -> str:
    """The plan, if it reads a table without an index. MariaDB's number of rows says nothing
    here: what is asked for are thousands."""
    if connection.vendor != "mysql":
        return scans(sql)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        columns = [column[0] for column in cursor.description]
        lines = [dict(zip(columns, line, strict=True)) for line in cursor.fetchall()]
    tables = [line for line in lines if str(line["table"]).startswith("batch_")]
    assert tables
    return "" if all(line["key"] for line in tables) else str(lines)


@pytest.mark.django_db
@pytest.mark.usefixtures("targets")
def test_the_overview_reads_parts_of_indexes() -> None:
    with CaptureQueriesContext(connection) as captured:
        found = overview(connection.alias)
    assert found["sampled_jobs"] == f"{MOST_JOBS:,} jobs"
    assert found["sampled_targets"] == f"{MOST_TARGETS:,} targets"
    assert found["cut"]
    asked = [each["sql"] for each in captured if "batch_batch" in each["sql"]]
    assert len(asked) == 5
    for sql in asked:
        plan = without_a_key(sql) or whole_targets(sql)
        assert not plan, f"{sql}\n{plan}"
