"""Lists stay fast: which queries a page makes, however many rows there are."""

import re
from typing import Any

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from batch.admin.paging import DEEPEST_ROW, CappedPaginator
from batch.models import BatchJob, BatchTarget, JobStatus, TargetState
from tests.connection import connection

from .conftest import listed, make_job, page_of, shown


def queries(client: Client, path: str, **query: Any) -> list[str]:
    shown(client, path, **query)  # fills the caches of content types and the like
    with CaptureQueriesContext(
        connection,
    ) as captured:
        shown(client, path, **query)
    return [each["sql"] for each in captured.captured_queries]


def of_batch(statements: list[str]) -> list[str]:
    return [sql for sql in statements if "batch_batch" in sql]


def done_jobs(number: int) -> list[BatchJob]:
    return [make_job(targets=1, done=1, status=JobStatus.DONE) for _ in range(number)]


def test_a_hundred_jobs_take_as_many_queries_as_one(root: Client) -> None:
    done_jobs(1)
    one = queries(root, listed())
    done_jobs(99)
    assert len(queries(root, listed())) == len(one)


def test_a_hundred_targets_take_as_many_queries_as_one(root: Client) -> None:
    done_jobs(1)
    one = queries(root, listed(BatchTarget))
    done_jobs(99)
    assert len(queries(root, listed(BatchTarget))) == len(one)


def test_a_job_of_many_targets_takes_as_many_queries_as_one_of_one(root: Client) -> None:
    small = make_job(targets=1, done=1, status=JobStatus.DONE)
    large = make_job(targets=300, done=300, status=JobStatus.DONE)
    one = queries(root, page_of(small))
    assert len(queries(root, page_of(large))) == len(one)


@pytest.mark.parametrize(
    "query", [{"status": "done"}, {"q": "user:1"}, {"failures": "yes"}, {"p": "2"}]
)
def test_the_list_of_jobs_asks_nothing_of_targets_and_counts_to_a_limit(
    root: Client, query: dict[str, str]
) -> None:
    done_jobs(101)
    make_job(targets=1, done=1, failed=1, status=JobStatus.FAILED)
    asked = of_batch(queries(root, listed(), **query))
    # A search asks first whether it is a caller or a login.
    assert len(asked) == 2 + ("q" in query)
    for sql in asked:
        assert "batch_batchtarget" not in sql
        assert re.search(r"LIMIT \d+", sql) or "COUNT" not in sql


@pytest.mark.parametrize("model", [BatchJob, BatchTarget])
def test_no_list_counts_its_whole_table(root: Client, model: type[Any]) -> None:
    *_, job = done_jobs(3)
    text = "none" if model is BatchJob else BatchTarget.objects.get(job=job).url
    counts = [sql for sql in queries(root, listed(model), q=text) if "COUNT(" in sql]
    assert len(counts) == 1
    assert re.search(r"FROM \(SELECT .* LIMIT 1101\)", counts[0]), counts
    # The overview counts as well: live jobs, workers alive, and what ended, to a limit.
    for sql in queries(root, listed(model)):
        if "COUNT(" in sql:
            assert re.search(r"LIMIT \d+\)|WHERE .*(status.* IN|seen_at)", sql), sql


@pytest.mark.parametrize("where", ["list", "job"])
def test_no_list_loads_a_result(root: Client, where: str) -> None:
    (job,) = done_jobs(1)
    BatchTarget.objects.update(result={"content": "x" * 100_000, "meta": {}})
    path = listed(BatchTarget) if where == "list" else page_of(job)
    for sql in of_batch(queries(root, path)):
        quoted = sql.replace("`", '"')
        whole = r'(SELECT |, )"batch_batchtarget"\."(result|options|details)"(,| )(?!\$)'
        assert not re.search(whole, quoted), quoted
    page = shown(root, path)
    assert "xxxx" not in page
    assert "100,000" in page


def test_a_count_that_stopped_says_so_and_offers_no_selection_of_all(
    root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("batch.admin.paging.DEEPEST_ROW", 100)
    for _ in range(102):
        make_job(targets=0)
    page = shown(root, listed())
    assert "There are more" in page
    assert "Select all 1" not in page
    assert "0 of 100 selected" in page


def test_the_count_reaches_a_few_pages_further_than_the_visitor(db: None) -> None:
    rows = BatchJob.objects.order_by("id")
    assert CappedPaginator(rows, 100, page=1).limit == 1100
    assert CappedPaginator(rows, 100, page=50).limit == 6000
    assert CappedPaginator(rows, 100, page=10**15).limit == DEEPEST_ROW


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999999999999", "3"])
def test_a_page_that_is_not_there_is_no_error(root: Client, page: str) -> None:
    make_job()
    assert root.get(listed(), {"p": page}).status_code in (200, 302)
    assert root.get(listed(BatchTarget), {"p": page}).status_code in (200, 302)


def grow(job: BatchJob, doublings: int) -> None:
    """Double a job's targets within the database, again and again."""
    table = BatchTarget._meta.db_table
    copied = "job_id, url, url_hash, lane, options, status, result, error, hint, code, details"
    key = BatchJob._meta.pk.get_db_prep_value(job.pk, connection)
    for _ in range(doublings):
        size = BatchTarget.objects.filter(job=job).count()
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (idx, {copied}) SELECT idx + %s, {copied} FROM {table}"
                " WHERE job_id = %s",
                [size, key],
            )
    size = BatchTarget.objects.filter(job=job).count()
    BatchJob.objects.filter(pk=job.pk).update(targets_total=size, targets_done=size)


def test_a_job_of_100000_targets_is_shown_page_by_page(root: Client) -> None:
    job = make_job(targets=100, done=100, status=JobStatus.DONE)
    grow(job, 10)
    job.refresh_from_db()
    assert job.targets_total == 102_400
    last = queries(root, page_of(job), p=2048)
    for sql in of_batch(last):
        assert "COUNT(" not in sql
        assert "OFFSET" not in sql
    page = shown(root, page_of(job), p=2048)
    assert page.count("batch-badge batch-done") == 51  # the job's own, and 50 targets
    states = BatchTarget.objects.filter(job=job, status=TargetState.DONE)
    assert f"/targets/{states.count()}" not in page
