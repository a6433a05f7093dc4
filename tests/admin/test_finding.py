"""Filters and search: they find exactly what they name."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from batch.admin import search
from batch.models import BatchJob, BatchTarget, JobStatus

from .conftest import keys, listed, make_job, shown


def test_a_uuid_finds_the_job_with_this_id(root: Client) -> None:
    job = make_job()
    make_job()
    assert keys(root, q=str(job.pk)) == [job.pk]
    assert keys(root, q=f" {job.pk}\n") == [job.pk]
    assert keys(root, q=str(uuid.uuid4())) == []


def test_text_that_begins_with_http_finds_the_jobs_with_this_url(root: Client) -> None:
    job = make_job()
    make_job()
    url = f"https://example.com/{job.pk}/1"
    assert keys(root, q=url) == [job.pk]
    assert keys(root, q=url[:-1]) == []


def test_a_url_that_a_job_has_twice_finds_the_job_once(root: Client) -> None:
    job = make_job(targets=0)
    for idx in range(2):
        BatchTarget.objects.create(job=job, idx=idx, url="http://a/")
    assert keys(root, q="http://a/") == [job.pk]


@pytest.mark.parametrize(("model", "key"), [(BatchJob, "job_id"), (BatchTarget, "id")])
def test_of_a_url_that_many_have_the_last_ones_are_found_and_the_page_says_so(
    root: Client, monkeypatch: pytest.MonkeyPatch, model: type[Any], key: str
) -> None:
    for _ in range(3):
        BatchTarget.objects.create(job=make_job(targets=0), idx=0, url="http://a/")
    made = list(BatchTarget.objects.order_by("id").values_list(key, flat=True))
    assert set(keys(root, model, q="http://a/")) == set(made)
    monkeypatch.setattr(search, "MOST_OF_URL", 2)
    assert set(keys(root, model, q="http://a/")) == set(made[1:])
    assert "last 1,000" in shown(root, listed(model))


def test_another_url_of_the_same_hash_is_not_found(root: Client) -> None:
    job = make_job()
    target = BatchTarget.objects.filter(job=job, idx=0)
    target.update(url="http://other/")  # and the hash stays
    assert keys(root, q=f"https://example.com/{job.pk}/0") == []


def test_anything_else_finds_a_caller_exactly(root: Client) -> None:
    ann = make_job(caller="Ann")
    for other in ("ann", "Ann ", "Änn", "Anna"):
        make_job(caller=other)
    assert keys(root, q="Ann") == [ann.pk]
    assert keys(root, q="A") == []
    assert keys(root, q="%") == []


def test_a_login_finds_the_jobs_of_the_user_unless_a_caller_has_that_name(root: Client) -> None:
    user = User.objects.get(username="root")
    by_api = make_job(caller=f"user:{user.pk}")
    assert keys(root, q="root") == [by_api.pk]
    by_name = make_job(caller="root")
    assert keys(root, q="root") == [by_name.pk]


def test_a_null_character_in_a_search_is_no_error(root: Client) -> None:
    make_job()
    assert root.get(listed(), {"q": "a\x00b"}).status_code == 200


@pytest.mark.parametrize("status", list(JobStatus))
def test_jobs_are_filtered_by_status(root: Client, status: JobStatus) -> None:
    made = {each: make_job(status=each).pk for each in JobStatus}
    assert keys(root, status=status.value) == [made[status]]


def test_jobs_that_have_not_ended_are_one_choice(root: Client) -> None:
    made = {each: make_job(status=each).pk for each in JobStatus}
    assert set(keys(root, status="live")) == {made[JobStatus.QUEUED], made[JobStatus.RUNNING]}


def test_the_classes_to_choose_from_are_those_of_the_settings(root: Client, settings: Any) -> None:
    settings.BATCH = {"CLASSES": {"gold": {"JOBS_TOTAL": 3}}}
    page = shown(root, listed())
    for name in ("staff", "user", "cli", "gold"):
        assert f"?class={name}" in page


def test_a_class_that_no_setting_names_is_chosen_from_its_row(root: Client) -> None:
    job = make_job(caller_class="new & odd")
    make_job()
    assert "?class=new+%26+odd" in shown(root, listed())
    assert keys(root, **{"class": "new & odd"}) == [job.pk]


def test_jobs_are_filtered_by_day(root: Client) -> None:
    now = timezone.now()
    ages = {"today": 0, "yesterday": 1, "week": 5, "month": 20, "older": 40}
    made = {name: make_job(created_at=now - timedelta(days=days)).pk for name, days in ages.items()}
    assert keys(root, created="today") == [made["today"]]
    assert keys(root, created="yesterday") == [made["yesterday"]]
    assert set(keys(root, created="week")) == {made["today"], made["yesterday"], made["week"]}
    assert set(keys(root, created="month")) == set(made.values()) - {made["older"]}
    assert keys(root, created="older") == [made["older"]]


def test_jobs_are_filtered_by_failures(root: Client) -> None:
    failed = make_job(targets=2, done=2, failed=1, status=JobStatus.PARTIAL)
    running = make_job(targets=3, done=1, failed=1)
    clean = make_job(targets=1, done=1, status=JobStatus.DONE)
    assert set(keys(root, failures="yes")) == {failed.pk, running.pk}
    assert keys(root, failures="no") == [clean.pk]


def test_a_job_that_failed_has_failures_though_none_of_its_targets_failed(root: Client) -> None:
    broken = make_job(status=JobStatus.FAILED)
    assert keys(root, failures="yes") == [broken.pk]
    assert keys(root, failures="no") == []


@pytest.mark.parametrize("status", ["live", *JobStatus])
def test_the_filters_by_failures_and_by_status_go_together(root: Client, status: str) -> None:
    for each in JobStatus:
        failed = each in (JobStatus.FAILED, JobStatus.PARTIAL)
        make_job(targets=2, done=2, failed=int(failed), status=each)
        if each != JobStatus.DONE:
            make_job(targets=2, done=2, failed=1, status=each)
    alike = set(keys(root, status=status))
    with_failures = {job.pk for job in BatchJob.objects.filter(targets_failed__gt=0)}
    assert set(keys(root, status=status, failures="yes")) == alike & with_failures
    assert set(keys(root, status=status, failures="no")) == alike - with_failures


def test_filters_and_search_go_together(root: Client) -> None:
    job = make_job(caller="ann", status=JobStatus.FAILED)
    make_job(caller="ann")
    make_job(caller="bob", status=JobStatus.FAILED)
    assert keys(root, q="ann", status="failed") == [job.pk]


@pytest.mark.parametrize("lookup", ["error__contains", "targets__url__contains", "idem_key"])
def test_a_query_string_cannot_filter_by_other_columns(root: Client, lookup: str) -> None:
    assert root.get(listed(), {lookup: "x"}).status_code == 400


def test_a_query_string_cannot_sort_by_other_columns(root: Client) -> None:
    old = make_job(caller="a", created_at=timezone.now() - timedelta(days=1))
    new = make_job(caller="b")
    for column in range(9):
        assert keys(root, o=str(column)) == [new.pk, old.pk]


def test_targets_are_found_by_url_and_by_job(root: Client) -> None:
    job = make_job()
    make_job()
    first, second = BatchTarget.objects.filter(job=job).order_by("idx")
    assert keys(root, BatchTarget, q=second.url) == [second.pk]
    assert keys(root, BatchTarget, q=str(job.pk)) == [first.pk, second.pk]
    assert keys(root, BatchTarget, job=job.pk) == [first.pk, second.pk]
    assert keys(root, BatchTarget, q="example.com") == []


def test_the_newest_targets_are_first_in_the_list_of_all(root: Client) -> None:
    make_job()
    make_job()
    found = keys(root, BatchTarget)
    assert found == sorted(found, reverse=True)
    assert len(found) == 4


def test_targets_are_filtered_by_status_only_within_a_job(root: Client) -> None:
    make_job(targets=2, done=1)
    assert "?status=" not in shown(root, listed(BatchTarget))
    assert len(keys(root, BatchTarget, status="done")) == 2


def test_an_id_that_cannot_be_is_no_error(root: Client) -> None:
    answer = root.get(listed(BatchTarget), {"job": "nonsense"})
    assert answer.status_code == 302
    assert BatchJob.objects.count() == 0
