"""Among 20,000 jobs and 100,000 targets, each list reads a page's worth of rows by an index."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batch.admin import search
from batch.admin.sample import LOOKED_AT
from batch.models import BatchJob, BatchTarget, JobStatus
from batch.results import result_rows
from bench.crowd import FRONT_PAGE, fill
from tests.connection import connection

JOBS = 20_000
API = "/api/jobs/"
JOB_LIST = "/admin/batch/batchjob/"
TARGET_LIST = "/admin/batch/batchtarget/"
# Where no index has the column, a list walks by another one until it has counted enough.
MOST_READ = JOBS // 2
MOST_SORTED = LOOKED_AT + 1  # by the overview; any other sorts a page at most
REMOVED = ("Rows Removed by Filter", "Rows Removed by Index Recheck")


@pytest.fixture(scope="module")
def crowd(django_db_setup: Any, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        connection.ensure_connection()
        fill(connection.connection, JOBS)
        yield
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE batch_batchjob, batch_batchtarget, batch_batchturn")


pytestmark = [
    pytest.mark.only_on("postgres"),
    # A plan is the server's own, however it is reached.
    pytest.mark.not_with("pgbouncer", "pool"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("crowd"),
]


@pytest.fixture(autouse=True)
def few_of_a_url(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand are few in a long list, and a part worth a scan in this one."""
    monkeypatch.setattr(search, "MOST_OF_URL", 100)


@pytest.fixture
def client(db: None) -> Client:
    """Of staff who may see all jobs, and who is the caller of a tenth of them."""
    client = Client()
    client.force_login(User.objects.create_superuser("root", pk=1))
    return client


@pytest.fixture
def large() -> BatchJob:
    job = BatchJob.objects.order_by("-targets_total")[0]
    assert job.targets_total == 4000
    return job


def steps(sql: str) -> list[dict[str, Any]]:
    """What PostgreSQL does for a statement, each step with what it took in fact."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}")
        (answer,) = cursor.fetchone()
    (explained,) = json.loads(answer) if isinstance(answer, str) else answer
    found = [explained["Plan"]]
    for step in found:
        found += step.get("Plans", ())
    return found


def rows(step: dict[str, Any], *names: str) -> int:
    return round(sum(step.get(name, 0) for name in names) * step["Actual Loops"])


def read_and_sorted(sql: str) -> tuple[int, int]:
    """How many rows and entries of indexes a statement reads, and how many its largest sort."""
    found = steps(sql)
    scans = [step for step in found if "Relation Name" in step or "Index Name" in step]
    sources = [step["Plans"][0] for step in found if "Sort" in step["Node Type"]]
    return (
        sum(rows(step, "Actual Rows", *REMOVED) for step in scans),
        max((rows(step, "Actual Rows") for step in sources), default=0),
    )


def asked(client: Client, path: str, **query: Any) -> list[str]:
    """The statements about jobs and targets by which a page is made."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(path, query)
    assert response.status_code == 200, response.headers
    return [each["sql"] for each in captured if "batch_batch" in each["sql"]]


def assert_a_page_is_read(client: Client, path: str, **query: Any) -> None:
    statements = asked(client, path, **query)
    assert statements
    for sql in statements:
        read, largest = read_and_sorted(sql)
        assert read <= MOST_READ, sql
        assert largest <= MOST_SORTED, sql


def days_ago(days: int) -> str:
    return (timezone.now() - timedelta(days=days)).isoformat()


def test_a_table_that_is_read_or_sorted_whole_is_found_out() -> None:
    sql = "SELECT id FROM batch_batchjob"
    assert read_and_sorted(f"{sql} WHERE error = 'unheard of'") == (JOBS, 0)
    assert read_and_sorted(f"{sql} ORDER BY error LIMIT 1") == (JOBS, JOBS)


@pytest.mark.parametrize("scope", [{}, {"all": 1}])
@pytest.mark.parametrize(
    "query",
    [
        {},
        {"limit": 200},
        {"created_after": days_ago(1)},
        {"created_before": days_ago(100)},
        {"created_before": days_ago(100), "status": "failed"},
        {"created_before": days_ago(363)},
        {"status": "failed,cancelled"},
        *({"status": status} for status in JobStatus.values),
    ],
)
def test_the_api_reads_a_page_of_jobs(
    client: Client, query: dict[str, Any], scope: dict[str, Any]
) -> None:
    assert_a_page_is_read(client, API, **query, **scope)


@pytest.mark.parametrize("scope", [{}, {"all": 1}])
def test_a_cursor_leads_to_where_a_page_begins(client: Client, scope: dict[str, Any]) -> None:
    for where in ({}, {"created_before": days_ago(300)}):
        first = client.get(API, {**where, **scope}).json()
        second = client.get(first["next"]).json()
        for link in (first["next"], second["previous"]):
            assert_a_page_is_read(client, link)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"p": 2},
        {"status": "live"},
        *({"status": status} for status in JobStatus.values),
        *({"class": name} for name in ("user", "staff", "cli", "unknown")),
        *({"created": day} for day in ("today", "yesterday", "week", "month", "older")),
        {"failures": "yes"},
        {"failures": "no"},
        {"failures": "yes", "status": "cancelled"},
        {"status": "failed", "class": "staff", "created": "month", "failures": "yes"},
        {"q": "user:1"},
        {"q": "user:1", "status": "failed"},
        {"q": "user:1", "class": "user"},
        {"q": "root"},
        {"q": "user:777"},
        {"q": "nobody"},
        {"q": FRONT_PAGE},
        {"q": FRONT_PAGE, "status": "failed"},
        {"q": "https://nowhere.example.org/"},
    ],
)
def test_the_admin_reads_a_page_of_jobs(client: Client, query: dict[str, Any]) -> None:
    assert_a_page_is_read(client, JOB_LIST, **query)


@pytest.mark.parametrize("query", [("yes", "done"), ("no", "failed"), ("no", "partial")])
def test_what_cannot_be_is_not_looked_for(client: Client, query: tuple[str, str]) -> None:
    failures, status = query
    assert asked(client, JOB_LIST, failures=failures, status=status) == []


@pytest.mark.parametrize("query", [{}, {"p": 2}, {"q": FRONT_PAGE}, {"q": "https://nowhere/"}])
def test_the_admin_reads_a_page_of_targets(client: Client, query: dict[str, Any]) -> None:
    assert_a_page_is_read(client, TARGET_LIST, **query)


def test_a_page_of_a_large_job_is_read_alone(client: Client, large: BatchJob) -> None:
    job = f"{API}{large.pk}/"
    half_way = client.get(f"{job}targets/", {"limit": 1000}).json()["next"]
    last = BatchTarget.objects.get(job=large, idx=3999)
    for path, query in (
        (JOB_LIST, {"q": large.pk}),
        (f"{JOB_LIST}{large.pk}/change/", {}),
        (f"{JOB_LIST}{large.pk}/change/", {"p": 80}),
        (TARGET_LIST, {"job": large.pk}),
        (TARGET_LIST, {"job": large.pk, "status": large.status}),
        (TARGET_LIST, {"q": large.pk}),
        (f"{TARGET_LIST}{last.pk}/change/", {}),
        (job, {}),
        (f"{job}targets/", {}),
        (half_way, {}),
        (f"{job}targets/3999/", {}),
    ):
        assert_a_page_is_read(client, path, **query)


def test_results_are_measured_only_where_they_are_read(client: Client) -> None:
    # What the statistics of the table know nothing of, PostgreSQL takes for a few rows.
    job = BatchJob.objects.create(caller="user:1", idem_key="new", targets_total=500)
    BatchTarget.objects.bulk_create(
        BatchTarget(job=job, idx=idx, url="https://example.com/") for idx in range(500)
    )
    with CaptureQueriesContext(connection) as captured:
        assert len(list(result_rows(str(job.pk)))) == 500
        assert len(client.get(f"{API}{job.pk}/targets/").json()["results"]) == 100
    measuring = [each["sql"] for each in captured if "OCTET_LENGTH" in each["sql"]]
    assert len(measuring) == 12
    for sql in measuring:
        (scan,) = (step for step in steps(sql) if "Relation Name" in step)
        assert rows(scan, "Actual Rows") <= 100, sql
