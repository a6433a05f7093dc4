"""GET jobs/{id}/targets/ and GET jobs/{id}/targets/{idx}/."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from batch.models import BatchJob, BatchTarget
from tests.api.conftest import JOBS
from tests.api.rows import RESULT, job_of, targets_of
from tests.connection import connection

pytestmark = pytest.mark.django_db

MEGABYTE = 1024**2


@pytest.fixture
def job(ann: User) -> BatchJob:
    return job_of(ann, "cancelled")


def place(job: BatchJob, idx: object = "") -> str:
    return f"{JOBS}{job.id}/targets/" + (f"{idx}/" if idx != "" else "")


def idxs(answer: Any) -> list[int]:
    assert answer.status_code == 200, answer.content
    return [target["idx"] for target in answer.json()["results"]]


def test_targets_are_shown_in_order_with_what_became_of_them(
    as_ann: APIClient, job: BatchJob
) -> None:
    targets_of(job, "done", "failed", "pending", options={"mode": "text"})
    BatchTarget.objects.filter(idx=1).update(details={"status": 500})
    done, failed, pending = as_ann.get(place(job)).json()["results"]
    nothing = {"error": "", "hint": "", "code": "", "details": None}
    times = {"started_at": None, "finished_at": None}
    assert done == {
        "idx": 0,
        "url": "https://example.com/0",
        "options": {"mode": "text"},
        "status": "done",
        "result": RESULT,
        **nothing,
        **times,
    }
    assert failed["result"] is None
    assert (failed["error"], failed["hint"]) == ("it broke", "try later")
    assert (failed["code"], failed["details"]) == ("timeout", {"status": 500})
    assert (pending["status"], pending["result"]) == ("pending", None)


def test_pages_of_targets_can_be_turned_to_the_end_and_back(
    as_ann: APIClient, job: BatchJob
) -> None:
    targets_of(job, *["done"] * 5)
    first = as_ann.get(place(job), {"limit": 2})
    second = as_ann.get(first.json()["next"])
    third = as_ann.get(second.json()["next"])
    assert [idxs(first), idxs(second), idxs(third)] == [[0, 1], [2, 3], [4]]
    assert third.json()["next"] is None
    back = as_ann.get(third.json()["previous"])
    assert idxs(back) == [2, 3]
    assert idxs(as_ann.get(back.json()["previous"])) == [0, 1]


def test_a_page_has_100_targets_unless_asked_and_1000_at_most(
    as_ann: APIClient, job: BatchJob
) -> None:
    targets_of(job, *["pending"] * 1001)
    assert idxs(as_ann.get(place(job))) == list(range(100))
    assert idxs(as_ann.get(place(job), {"limit": 5000})) == list(range(1000))


def test_targets_are_filtered_by_status(as_ann: APIClient, job: BatchJob) -> None:
    targets_of(job, "done", "failed", "pending", "failed")
    assert idxs(as_ann.get(place(job), {"status": "failed"})) == [1, 3]
    assert idxs(as_ann.get(place(job), {"status": "failed,pending"})) == [1, 2, 3]
    page = as_ann.get(place(job), {"status": "failed", "limit": 1})
    assert idxs(as_ann.get(page.json()["next"])) == [3]
    for word in ("cancelled", "", "FAILED"):
        answer = as_ann.get(place(job), {"status": word})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")


def test_a_page_never_has_more_content_than_8_mib_but_one_target_at_least(
    as_ann: APIClient, job: BatchJob
) -> None:
    targets_of(job, *["done"] * 5)
    for idx, megabytes in enumerate([3, 4, 2, 9, 0]):
        BatchTarget.objects.filter(idx=idx).update(
            result={"content": "x" * megabytes * MEGABYTE, "meta": {}}
        )
    pages, following = [], place(job)
    while following:
        answer = as_ann.get(following)
        pages.append(idxs(answer))
        last, following = answer, answer.json()["next"]
    assert pages == [[0, 1], [2], [3], [4]]
    back = as_ann.get(last.json()["previous"])
    assert idxs(back) == [3]
    assert idxs(as_ann.get(back.json()["previous"])) == [1, 2]
    assert idxs(as_ann.get(place(job), {"content": "0"})) == [0, 1, 2, 3, 4]


def test_only_the_results_of_the_page_are_loaded(as_ann: APIClient, job: BatchJob) -> None:
    targets_of(job, *["done"] * 4)
    BatchTarget.objects.update(result={"content": "x" * 5 * MEGABYTE, "meta": {}})
    loaded = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if '"url"' in sql.replace("`", '"'):
            loaded.append(len(rest[0]))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        assert idxs(as_ann.get(place(job))) == [0]
    assert loaded == [2]  # by the job's id and one place, once


def test_without_content_it_is_left_in_the_database(as_ann: APIClient, job: BatchJob) -> None:
    targets_of(job, "done", "failed")
    with CaptureQueriesContext(connection) as captured:
        listed = as_ann.get(place(job), {"content": "0"}).json()["results"]
        one = as_ann.get(place(job, 0), {"content": "0"}).json()
    assert listed[0]["result"] == {"content": None, "meta": RESULT["meta"]}
    assert listed[1]["result"] is None
    assert one == listed[0]
    for query in captured.captured_queries:
        sql = query["sql"].replace("`", '"')
        parts_of_it = r"JSON_\w+\([^)]*\)|\(\S+ -> [^)]*\)"
        assert '"result"' not in re.sub(parts_of_it, "", sql)


@pytest.mark.parametrize("content", ["no", "", "2"])
def test_content_is_0_or_1(as_ann: APIClient, job: BatchJob, content: str) -> None:
    targets_of(job, "done")
    for address in (place(job), place(job, 0)):
        answer = as_ann.get(address, {"content": content})
        assert answer.json()["code"] == "invalid_query"


def test_a_page_of_targets_takes_the_same_few_queries_however_many_it_has(
    as_ann: APIClient, ann: User
) -> None:
    counts = []
    for size in (1, 50):
        job = job_of(ann)
        targets_of(job, *["done"] * size)
        with CaptureQueriesContext(connection) as captured:
            assert len(idxs(as_ann.get(place(job)))) == size
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_one_target_is_shown_as_in_the_list(as_ann: APIClient, job: BatchJob) -> None:
    targets_of(job, "done", "failed", "pending")
    listed = as_ann.get(place(job)).json()["results"]
    assert [as_ann.get(place(job, idx)).json() for idx in range(3)] == listed


@pytest.mark.parametrize(
    "idx", ["3", "-1", "00", "+1", "x", "1.0", "%D9%A1", "9999999999", "9" * 5000, "%00"]
)
def test_a_place_that_no_target_has_is_a_problem_of_its_own(
    as_ann: APIClient, job: BatchJob, idx: str
) -> None:
    targets_of(job, "done", "done", "done")
    answer = as_ann.get(place(job, idx))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["hint"] == "its targets are 0 to 2"


def test_results_in_any_script_go_out_as_they_are(as_ann: APIClient, job: BatchJob) -> None:
    targets_of(job, "done")
    content = "Ünïcödé 例え \u2028 👍 </script>"
    BatchTarget.objects.update(result={"content": content, "meta": {"ключ": [1, None, 2.5]}})
    for address in (place(job, 0), place(job, 0) + "?content=0"):
        answer = as_ann.get(address)
        assert answer.json()["result"]["meta"] == {"ключ": [1, None, 2.5]}
    assert as_ann.get(place(job, 0)).json()["result"]["content"] == content
