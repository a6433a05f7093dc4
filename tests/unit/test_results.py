"""What an export reads: rows of any set of jobs, in portions, whatever happens meanwhile."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batch import results
from batch.errors import UnknownJobError
from batch.models import LIVE, BatchJob, BatchTarget
from batch.results import COLUMNS, result_rows
from batch.runner import Runner
from tests.connection import connection, stored
from tests.rules.jobs import claim, store, submit, terminal

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def job_of(*given: dict[str, Any], status: str = "done", contents: str = "text") -> str:
    """A job of such targets, each done unless it says something else."""
    now = timezone.now()
    job = BatchJob.objects.create(
        caller="ann",
        idem_key="0" * 64,
        status=status,
        targets_total=len(given),
        finished_at=None if status in LIVE else now,
        lease_expires_at=now + HOUR,
    )
    usual = {"status": "done", "result": {"content": contents, "meta": {}}}
    BatchTarget.objects.bulk_create(
        BatchTarget(**{"job": job, "idx": idx, "url": f"https://e.com/{idx}", **usual, **fields})
        for idx, fields in enumerate(given)
    )
    return str(job.id)


def test_each_row_has_every_column_whatever_became_of_its_target() -> None:
    job_id = terminal("partial")
    done, failed = result_rows(job_id)
    assert tuple(done) == tuple(failed) == COLUMNS
    assert (done["job"], done["idx"], done["content"], done["meta"]) == (job_id, 0, "a", {})
    assert (failed["idx"], failed["content"], failed["meta"]) == (1, None, None)
    assert (failed["error"], failed["code"]) == ("no", "told_to_fail")
    json.dumps([done, failed])


def test_times_are_in_utc_whatever_the_zone_of_the_host(settings: Any) -> None:
    moment = datetime.fromisoformat("2026-07-01T12:00:00.000123+02:00")
    settings.TIME_ZONE = "America/New_York"
    job_id = job_of({"started_at": stored(moment), "finished_at": None})
    (row,) = result_rows(job_id)
    assert (row["started_at"], row["finished_at"]) == ("2026-07-01T10:00:00.000123Z", None)


def test_several_jobs_come_one_after_the_other() -> None:
    first, second = job_of({}, {}), job_of({})
    rows = [(row["job"], row["idx"]) for row in result_rows(second, first)]
    assert rows == [(second, 0), (first, 0), (first, 1)]


def test_a_job_without_targets_has_no_rows() -> None:
    assert list(result_rows(job_of())) == []
    assert list(result_rows()) == []


@pytest.mark.parametrize("unknown", ["", "x", "00000000-0000-7000-8000-000000000000"])
def test_a_job_that_is_not_there_is_told_of_before_the_first_row(unknown: str) -> None:
    with pytest.raises(UnknownJobError):
        next(result_rows(unknown))


def test_rows_are_read_in_portions_of_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 3)
    job_id = job_of(*[{}] * 10)
    with CaptureQueriesContext(connection) as queries:
        assert [row["idx"] for row in result_rows(job_id)] == list(range(10))
    read = [query["sql"] for query in queries if '"result"' in query["sql"].replace("`", '"')]
    assert len(read) == 8 + 1  # sizes and rows, four times; and the look behind the last
    assert not any("OFFSET" in sql for sql in read)


def test_a_portion_ends_before_it_has_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PORTION_MAX_BYTES", 2500)
    sizes = [1000, 1000, 1000, 5000, 10, 10]
    targets = BatchTarget.objects.filter(
        job=job_of(*[{"result": {"content": "x" * size, "meta": {}}} for size in sizes])
    )
    portions = []
    idx = 0
    while portion := results._portion(targets, idx, True):
        portions.append([row["idx"] for row in portion])
        idx = portions[-1][-1] + 1
    assert portions == [[0, 1], [2], [3], [4, 5]]


def test_without_content_the_results_stay_in_the_database() -> None:
    job_id = job_of({}, {})
    with CaptureQueriesContext(connection) as queries:
        rows = list(result_rows(job_id, content=False))
    assert [(row["status"], row["content"], row["meta"]) for row in rows] == [
        ("done", None, None)
    ] * 2
    assert not any('"result"' in query["sql"].replace("`", '"') for query in queries)


def test_gaps_left_by_hand_do_not_end_a_job_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 2)
    job_id = job_of({"idx": 3}, {"idx": 500}, {"idx": 501}, {"idx": 90_000})
    assert [row["idx"] for row in result_rows(job_id)] == [3, 500, 501, 90_000]


def test_targets_that_finish_meanwhile_are_neither_repeated_nor_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 2)
    job_id = submit(6)
    taken = claim(job_id)
    store(taken, 0)
    seen = []
    for row in result_rows(job_id):
        seen.append((row["idx"], row["status"], row["content"]))
        if row["idx"] < 5:
            store(taken, row["idx"] + 1)
    assert [idx for idx, *_ in seen] == list(range(6))
    assert seen[1] == (1, "running", None)  # it was read together with the first
    assert seen[2] == (2, "done", "content")
    assert all((content is None) == (status != "done") for _, status, content in seen)


def test_a_job_that_is_removed_meanwhile_does_not_pass_for_a_shorter_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 1)
    job_id = terminal("done")
    rows = result_rows(job_id)
    assert next(rows)["idx"] == 0
    Runner().delete(job_id)
    with pytest.raises(UnknownJobError):
        next(rows)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_between_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 1)
    for _ in result_rows(job_of({}, {}, {})):
        assert not connection.in_atomic_block
        if connection.vendor == "postgresql":
            raw: Any = connection.connection
            assert raw.info.transaction_status.name == "IDLE"
