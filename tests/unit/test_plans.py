"""With 100,000 rows in the table, what is asked all the time is answered by an index."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batch import health
from batch.conf import Caps
from batch.metrics.rows import Rows
from batch.models import BatchJob, BatchTarget, BatchWorker
from batch.moves.claim import claim_next
from batch.moves.end import reap
from batch.moves.gate import check_caps
from batch.moves.remove import purge
from batch.runner import Runner
from tests.connection import connection
from tests.databases import ALIAS
from tests.rules.jobs import ROOMY, claim, store, submit, targets

JOBS = 102_400
DOUBLINGS = 7
COLUMNS = (
    "caller, caller_class, status, error, targets_total, targets_done, targets_failed,"
    " created_at, finished_at, lease_expires_at, worker, claim"
)
DOUBLE = {
    vendor: f"INSERT INTO batch_batchjob (id, idem_key, {COLUMNS})"
    f" SELECT {new_id}, {key}, {COLUMNS} FROM batch_batchjob"
    for vendor, new_id, key in (
        ("sqlite", "lower(hex(randomblob(16)))", "lower(hex(randomblob(32)))"),
        ("postgresql", "gen_random_uuid()", "sha256(random()::text::bytea)::varchar(64)"),
        ("mysql", "uuid()", "sha2(rand(), 256)"),
    )
}


@pytest.fixture(scope="module")
def many(django_db_setup: Any, django_db_blocker: Any) -> Iterator[None]:
    """Terminal jobs of a year, the oldest of them expired; committed, since ANALYZE commits."""
    with django_db_blocker.unblock():
        with transaction.atomic(using=ALIAS):
            make_jobs()
        with connection.cursor() as cursor:
            table = "TABLE " if connection.vendor == "mysql" else ""
            cursor.execute(f"ANALYZE {table}batch_batchjob")
        yield
        # Looking for the targets of each, of which there are none, would take long.
        with connection.constraint_checks_disabled():
            BatchJob.objects.all()._raw_delete(ALIAS)


def make_jobs() -> None:
    now = timezone.now()
    BatchJob.objects.bulk_create(
        BatchJob(
            caller=f"caller {i % 100}",
            idem_key=str(i),
            status=("done", "partial", "failed", "cancelled")[i % 4],
            targets_total=1,
            targets_done=1,
            created_at=now - timedelta(hours=9 * i),
            finished_at=now - timedelta(hours=9 * i),
            lease_expires_at=now + timedelta(days=250) - timedelta(hours=9 * i),
            claim=1,
        )
        for i in range(JOBS // 2**DOUBLINGS)
    )
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # All indexes in memory while rows come in at random places of theirs.
            cursor.execute("PRAGMA cache_size = -200000")
        for _ in range(DOUBLINGS):
            cursor.execute(DOUBLE[connection.vendor])


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many")]


def statements(work: Any) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        work()
    return [query["sql"].strip() for query in captured if "batch_batchjob" in query["sql"]]


def scans(sql: str) -> str:
    """The plan, if it reads all of a table; empty otherwise."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = "\n".join(str(line[-1]) for line in cursor.fetchall())
            # To walk an index is all right for the first few rows.
            walks = r"(?! USING)" if "LIMIT" in sql else ""
            return plan if re.search(rf"SCAN \w*batch\w+\b{walks}", plan) else ""
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(str(line[0]) for line in cursor.fetchall())
            return plan if "Seq Scan on batch_batchjob" in plan else ""
        cursor.execute(f"EXPLAIN {sql}")
        columns = [column[0] for column in cursor.description]
        lines = [dict(zip(columns, line, strict=True)) for line in cursor.fetchall()]
        walks = "LIMIT" in sql and all(line["key"] for line in lines)
        rows = 0 if walks else sum(int(line["rows"] or 0) for line in lines)
        return str(lines) if rows > JOBS // 10 else ""


def assert_indexed(work: Any) -> None:
    found = [sql for sql in statements(work) if sql.startswith(("SELECT", "UPDATE", "WITH"))]
    assert found
    for sql in found:
        assert not (plan := scans(sql)), f"{sql}\n{plan}"


def test_a_plan_that_scans_is_found_out() -> None:
    with pytest.raises(AssertionError):
        assert_indexed(lambda: list(BatchJob.objects.filter(error="nothing")))


def test_the_worker_finds_the_next_job() -> None:
    submit()
    assert_indexed(lambda: claim_next("w", timedelta(minutes=1), ALIAS))
    assert_indexed(lambda: claim_next("w", timedelta(minutes=1), ALIAS))


@pytest.mark.parametrize("sole", [False, True])
def test_the_worker_finds_jobs_of_dead_workers(sole: bool) -> None:
    assert_indexed(lambda: reap("restart", ALIAS, sole=sole))
    claim(submit(), timedelta(minutes=-1))
    assert_indexed(lambda: reap("restart", ALIAS, sole=sole))


def test_the_caps_are_counted() -> None:
    submit(caller="caller 5")
    caps = Caps(targets_per_job=1, jobs_per_caller=5, jobs_total=5)
    assert_indexed(lambda: check_caps("caller 5", caps, ALIAS))


def test_a_submit_finds_the_job_that_is_kept() -> None:
    given = targets(3)
    assert_indexed(lambda: Runner(config=ROOMY).submit("caller 5", "", given))
    assert_indexed(lambda: Runner(config=ROOMY).submit("caller 5", "", given))


def test_a_purge_finds_what_expired() -> None:
    expired = Runner().purge(dry_run=True)
    assert JOBS // 100 < expired < JOBS // 2
    with CaptureQueriesContext(connection) as captured:
        assert purge(ALIAS, seconds=0) >= 1
    (sql,) = [one["sql"] for one in captured if "LIMIT" in one["sql"]]
    assert not (plan := scans(sql)), f"{sql}\n{plan}"


def test_a_cancel_an_outcome_and_a_status_touch_their_own_rows() -> None:
    job_id = submit(3)
    taken = claim(job_id)
    assert_indexed(lambda: store(taken, 0))
    assert_indexed(lambda: Runner().status(job_id))
    assert_indexed(lambda: Runner().cancel(job_id))


def test_the_latest_jobs_are_found() -> None:
    assert_indexed(lambda: Runner().latest(20))


def test_a_probe_and_a_scrape_count_no_table() -> None:
    submit()
    assert_indexed(lambda: health.look(ALIAS))
    assert_indexed(lambda: list(Rows().collect()))


def test_no_index_is_partial_and_the_checks_of_models_are_silent() -> None:
    # W036 to W043 tell of indexes and constraints that MariaDB would drop in silence.
    found = run_checks(include_deployment_checks=False, databases=[ALIAS])
    assert [one for one in found if (one.id or "").startswith("models.")] == []
    for model in (BatchJob, BatchTarget, BatchWorker):
        assert not [index for index in model._meta.indexes if index.condition is not None]
