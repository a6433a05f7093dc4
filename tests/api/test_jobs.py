"""GET jobs/ and GET jobs/{id}/."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from batch.models import TERMINAL, BatchJob, BatchWorker, JobStatus
from tests.api.conftest import JOBS, URL
from tests.api.rows import job_of, targets_of
from tests.connection import connection, stored

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [job["id"] for job in answer.json()["results"]]


def jobs_at(ann: User, *hours: int) -> list[str]:
    made = [job_of(ann, created_at=NOON + timedelta(hours=hour)) for hour in hours]
    return [str(job.id) for job in made]


def worker(seconds_ago: float) -> None:
    moment = timezone.now() - timedelta(seconds=seconds_ago)
    BatchWorker.objects.create(name=f"w{seconds_ago}", slots=1, started_at=moment, seen_at=moment)


def test_the_newest_job_comes_first(ann: User, as_ann: APIClient) -> None:
    made = jobs_at(ann, 2, 1, 3)
    answer = as_ann.get(JOBS)
    assert ids(answer) == [made[2], made[0], made[1]]
    assert (answer.json()["next"], answer.json()["previous"]) == (None, None)


def test_pages_can_be_turned_to_the_end_and_back(ann: User, as_ann: APIClient) -> None:
    # Several are made at the same moment, so the order has to fall back on their ids.
    made = jobs_at(ann, 1, 1, 1, 2, 3, 3, 3)
    everything = ids(as_ann.get(JOBS))
    assert sorted(everything) == sorted(made)
    pages = [as_ann.get(JOBS, {"limit": 3})]
    while following := pages[-1].json()["next"]:
        pages.append(as_ann.get(following))
    assert [ids(page) for page in pages] == [everything[:3], everything[3:6], everything[6:]]
    back = as_ann.get(pages[-1].json()["previous"])
    assert ids(back) == everything[3:6]
    assert ids(as_ann.get(back.json()["next"])) == everything[6:]
    back = as_ann.get(back.json()["previous"])
    assert ids(back) == everything[:3]
    assert back.json()["previous"] is None


def test_pages_do_not_shift_while_jobs_come_and_go(ann: User, as_ann: APIClient) -> None:
    made = jobs_at(ann, 4, 3, 2, 1)
    following = as_ann.get(JOBS, {"limit": 2}).json()["next"]
    jobs_at(ann, 5, 6, 7)
    BatchJob.objects.filter(id=made[1]).delete()  # the one that the cursor names
    assert ids(as_ann.get(following)) == made[2:]


def test_a_page_has_50_jobs_unless_asked_and_200_at_most(ann: User, as_ann: APIClient) -> None:
    BatchJob.objects.bulk_create(
        BatchJob(
            caller=f"user:{ann.pk}",
            idem_key="",
            status="running",
            lease_expires_at=stored(NOON),
            created_at=stored(NOON + timedelta(seconds=number)),
        )
        for number in range(202)
    )
    assert len(ids(as_ann.get(JOBS))) == 50
    assert len(ids(as_ann.get(JOBS, {"limit": "007"}))) == 7
    for much in ("201", "9" * 5000):
        assert len(ids(as_ann.get(JOBS, {"limit": much}))) == 200


def test_the_links_of_a_page_keep_the_filters(ann: User, as_ann: APIClient) -> None:
    jobs_at(ann, 1, 2, 3)
    job_of(ann, "failed", created_at=NOON)
    seen, following = [], f"{JOBS}?status=done&limit=1"
    while following:
        answer = as_ann.get(following)
        seen += ids(answer)
        following = answer.json()["next"]
    assert len(seen) == 3


def test_jobs_are_filtered_by_status(ann: User, as_ann: APIClient) -> None:
    made = {status: str(job_of(ann, status).id) for status in JobStatus.values}
    for status in JobStatus.values:
        assert ids(as_ann.get(JOBS, {"status": status})) == [made[status]]
    both = {made["done"], made["failed"]}
    assert set(ids(as_ann.get(JOBS, {"status": "done,failed"}))) == both
    assert set(ids(as_ann.get(JOBS, {"status": ["done", "failed"]}))) == both


def test_jobs_are_filtered_by_the_time_of_their_making(ann: User, as_ann: APIClient) -> None:
    one, two, three = jobs_at(ann, 1, 2, 3)
    one_oclock = "2030-01-31T13:00:00Z"
    assert ids(as_ann.get(JOBS, {"created_after": one_oclock})) == [three, two]
    assert ids(as_ann.get(JOBS, {"created_before": "2030-01-31T16:00:00+02:00"})) == [one]
    window = {"created_after": one_oclock, "created_before": "2030-01-31T15:00:00Z"}
    assert ids(as_ann.get(JOBS, window)) == [two]
    assert ids(as_ann.get(JOBS, {"created_after": "2030-02-01"})) == []


def test_a_plus_sign_that_was_not_encoded_is_still_an_offset(ann: User, as_ann: APIClient) -> None:
    one, _ = jobs_at(ann, 1, 2)
    assert ids(as_ann.get(f"{JOBS}?created_before=2030-01-31T16:00:00+02:00")) == [one]


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=-1", "limit=ten", "limit=", "limit=1.5", "limit=%D9%A3"),
        *("status=", "status=Done", "status=done,", "all=yes", "all="),
        *("created_after=", "created_after=yesterday", "created_before=2030-13-01"),
        *("created_after=0001-01-01T00:00:00%2B14:00", "created_after=9999-12-31T23:00-10:00"),
        *("cursor=x", "cursor=%00", "cursor=.", "cursor=%C3%BC"),
        # Said twice, nobody knows what is meant.
        *("limit=1&limit=2", "cursor=&cursor=", "all=0&all=0"),
        "created_after=2030-01-31&created_after=2030-02-01",
    ],
)
def test_a_query_that_cannot_be_is_refused(as_ann: APIClient, query: str) -> None:
    answer = as_ann.get(f"{JOBS}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    assert answer.json()["hint"]


def test_a_cursor_that_was_changed_is_refused(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann)
    targets_of(job, "done", "done")
    jobs_at(ann, 1, 2)
    following = as_ann.get(JOBS, {"limit": 1}).json()["next"]
    for changed in (following[:-1], following + "A", following.replace("cursor=", "cursor=A")):
        assert as_ann.get(changed).status_code == 400
    cursor = following.split("cursor=")[1].split("&")[0]
    of_another_list = as_ann.get(f"{JOBS}{job.id}/targets/?cursor={cursor}")
    assert of_another_list.json()["code"] == "invalid_query"


@pytest.mark.parametrize("status", JobStatus.values)
def test_a_job_that_ended_is_gone_when_its_lease_has_lapsed(
    ann: User, as_ann: APIClient, status: str
) -> None:
    job = job_of(ann, status, lease_expires_at=timezone.now() - timedelta(seconds=1))
    targets_of(job, "failed")
    job.refresh_from_db()
    gone = status in TERMINAL
    assert ids(as_ann.get(JOBS)) == ([] if gone else [str(job.id)])
    for place in ("", "targets/", "targets/0/"):
        assert as_ann.get(f"{JOBS}{job.id}/{place}").status_code == (404 if gone else 200)
    if gone:
        for place in ("cancel/", "retry/"):
            assert as_ann.post(f"{JOBS}{job.id}/{place}").status_code == 404
        assert as_ann.delete(f"{JOBS}{job.id}/").status_code == 404


@pytest.mark.parametrize("count", [1, 50])
def test_a_page_takes_the_same_few_queries_however_many_jobs_it_has(
    ann: User, as_ann: APIClient, count: int, django_assert_max_num_queries: Any
) -> None:
    for _ in range(count):
        targets_of(job_of(ann), "done", "failed")
    with django_assert_max_num_queries(10, connection=connection) as captured:
        assert len(ids(as_ann.get(JOBS))) == count
    of_ours = [query["sql"] for query in captured.captured_queries if "batch_" in query["sql"]]
    assert len(of_ours) == 2  # the page's jobs, the workers alive
    assert not any("batch_batchtarget" in sql or "COUNT" in sql for sql in of_ours)


def test_a_job_is_shown_without_looking_at_its_targets(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann)
    targets_of(job, "done", "failed")
    with CaptureQueriesContext(connection) as captured:
        shown = as_ann.get(f"{JOBS}{job.id}/").json()
    assert (shown["targets_total"], shown["targets_done"], shown["targets_failed"]) == (2, 2, 1)
    assert not any("batch_batchtarget" in query["sql"] for query in captured.captured_queries)


def test_times_are_shown_in_utc_with_their_offset(
    ann: User, as_ann: APIClient, settings: Any
) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    job = job_of(ann, created_at=NOON)
    assert as_ann.get(f"{JOBS}{job.id}/").json()["created_at"] == "2030-01-31T12:00:00Z"


def test_times_mean_the_same_in_a_project_without_time_zones(
    as_ann: APIClient, submit: Any, settings: Any
) -> None:
    settings.BATCH = {"JOBS_PER_CALLER": 3}
    settings.TIME_ZONE = "Asia/Tokyo"
    settings.USE_TZ = False
    made = [submit(as_ann, f"{URL}{number}") for number in range(3)]
    now = datetime.now(UTC)
    shown = datetime.fromisoformat(made[0]["created_at"])
    assert abs(shown - now) < timedelta(minutes=1)
    an_hour_ago = (now - timedelta(hours=1)).isoformat()
    first = as_ann.get(JOBS, {"limit": 2, "created_after": an_hour_ago})
    pages = [*ids(first), *ids(as_ann.get(first.json()["next"]))]
    assert pages == [job["id"] for job in reversed(made)]
    assert ids(as_ann.get(JOBS, {"created_before": an_hour_ago})) == []


def test_the_links_of_a_job_lead_on(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann, "partial")
    targets_of(job, "done", "failed")
    links = as_ann.get(f"{JOBS}{job.id}/").json()["links"]
    files = {"results_jsonl", "results_csv", "results_zip"}
    assert set(links) == {"self", "targets", "cancel", "retry", *files}
    assert as_ann.get(links["self"]).json()["id"] == str(job.id)
    assert len(as_ann.get(links["targets"]).json()["results"]) == 2
    assert as_ann.post(links["cancel"]).status_code == 409
    assert as_ann.post(links["retry"]).status_code == 202


def test_an_id_may_be_spelt_in_any_way_of_a_uuid(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann)
    for text in (job.id.hex, str(job.id).upper(), job.id.urn):
        assert as_ann.get(f"{JOBS}{text}/").json()["id"] == str(job.id)


def test_a_missing_slash_at_the_end_is_forgiven(ann: User, as_ann: APIClient) -> None:
    created = as_ann.post("/api/jobs", {"targets": [URL]}, format="json")
    assert created.status_code == 202
    assert as_ann.get(created.json()["links"]["self"].removesuffix("/")).status_code == 200


def test_no_worker_is_alive_until_one_shows_a_sign_of_life(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann, "running")

    def alive() -> Any:
        return as_ann.get(f"{JOBS}{job.id}/").json()["worker_alive"]

    assert alive() is False
    worker(seconds_ago=61)
    assert alive() is False
    worker(seconds_ago=50)
    assert alive() is True


@pytest.mark.parametrize("dispatch", ["thread", "celery", f"{__name__}.ids"])
def test_where_no_worker_is_needed_it_counts_as_alive(
    ann: User, as_ann: APIClient, settings: Any, dispatch: str
) -> None:
    settings.BATCH = {"DISPATCH": dispatch}
    job = job_of(ann, "running")
    assert as_ann.get(f"{JOBS}{job.id}/").json()["worker_alive"] is True
