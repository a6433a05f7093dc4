"""Cancel, retry and delete."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from batch.models import LIVE, TERMINAL, BatchJob, BatchTarget
from tests.api.conftest import JOBS, URL
from tests.api.rows import job_of, targets_of

pytestmark = pytest.mark.django_db


def in_hand() -> dict[str, Any]:
    """A job that was cancelled while its worker still has a target in flight."""
    return {"claim": 1, "worker": "w", "claim_expires_at": timezone.now() + timedelta(minutes=1)}


@pytest.mark.parametrize("status", LIVE)
def test_a_live_job_is_cancelled_at_once(ann: User, as_ann: APIClient, status: str) -> None:
    job = job_of(ann, status)
    targets_of(job, "done", "pending")
    answer = as_ann.post(f"{JOBS}{job.id}/cancel/")
    assert answer.status_code == 200
    assert "Location" not in answer.headers
    shown = answer.json()
    assert (shown["id"], shown["status"]) == (str(job.id), "cancelled")
    assert shown["finished_at"] is not None
    assert shown == as_ann.get(f"{JOBS}{job.id}/").json()


@pytest.mark.parametrize("status", TERMINAL)
def test_a_job_that_has_ended_cannot_be_cancelled(
    ann: User, as_ann: APIClient, status: str
) -> None:
    job = job_of(ann, status)
    answer = as_ann.post(f"{JOBS}{job.id}/cancel/")
    assert (answer.status_code, answer.json()["code"]) == (409, "job_terminal")
    assert status in answer.json()["detail"]
    job.refresh_from_db()
    assert job.status == status


def test_cancelling_twice_is_told_the_second_time(as_ann: APIClient, submit: Any) -> None:
    cancel = submit(as_ann)["links"]["cancel"]
    assert [as_ann.post(cancel).status_code for _ in range(2)] == [200, 409]


def test_a_retry_is_a_new_job_of_what_is_not_done(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann, "cancelled", caller_class="gold")
    targets_of(job, "done", "failed", "pending", options={"mode": "raw"})
    answer = as_ann.post(f"{JOBS}{job.id}/retry/")
    assert answer.status_code == 202
    shown = answer.json()
    assert answer.headers["Location"] == shown["links"]["self"]
    assert shown["id"] != str(job.id)
    assert (shown["status"], shown["targets_total"]) == ("running", 2)
    assert shown["caller_class"] == "gold"
    targets = as_ann.get(shown["links"]["targets"]).json()["results"]
    assert [(target["url"], target["options"], target["status"]) for target in targets] == [
        ("https://example.com/1", {"mode": "raw"}, "pending"),
        ("https://example.com/2", {"mode": "raw"}, "pending"),
    ]


def test_a_live_job_cannot_be_retried_or_deleted(as_ann: APIClient, submit: Any) -> None:
    links = submit(as_ann)["links"]
    for answer in (as_ann.post(links["retry"]), as_ann.delete(links["self"])):
        assert (answer.status_code, answer.json()["code"]) == (409, "job_live")
    assert BatchJob.objects.count() == 1


def test_a_cancelled_job_counts_as_live_while_a_worker_has_it_in_hand(
    ann: User, as_ann: APIClient
) -> None:
    job = job_of(ann, "cancelled", **in_hand())
    targets_of(job, "running")
    for answer in (
        as_ann.post(f"{JOBS}{job.id}/retry/"),
        as_ann.delete(f"{JOBS}{job.id}/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "job_live")


def test_a_job_without_failures_has_nothing_to_retry(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann, "done")
    targets_of(job, "done")
    answer = as_ann.post(f"{JOBS}{job.id}/retry/")
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_to_retry")


def test_a_retry_obeys_the_caps(ann: User, as_ann: APIClient, submit: Any, settings: Any) -> None:
    job = job_of(ann, "failed")
    targets_of(job, "failed", "failed")
    settings.BATCH = {"TARGETS_PER_JOB": 1}
    answer = as_ann.post(f"{JOBS}{job.id}/retry/")
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_targets")
    settings.BATCH = {}
    live = submit(as_ann, f"{URL}live")
    answer = as_ann.post(f"{JOBS}{job.id}/retry/")
    assert (answer.status_code, answer.json()["job"]) == (429, live["id"])
    assert int(answer.headers["Retry-After"]) > 0


def test_a_deleted_job_is_gone_with_its_results(ann: User, as_ann: APIClient) -> None:
    job = job_of(ann, "partial")
    targets_of(job, "done", "failed")
    answer = as_ann.delete(f"{JOBS}{job.id}/")
    assert (answer.status_code, answer.content) == (204, b"")
    assert as_ann.get(f"{JOBS}{job.id}/").status_code == 404
    assert as_ann.delete(f"{JOBS}{job.id}/").status_code == 404
    assert (BatchJob.objects.count(), BatchTarget.objects.count()) == (0, 0)


def test_after_a_delete_the_same_targets_make_a_new_job(as_ann: APIClient, submit: Any) -> None:
    job = submit(as_ann)
    as_ann.post(job["links"]["cancel"])
    assert as_ann.delete(job["links"]["self"]).status_code == 204
    again = submit(as_ann)
    assert (again["reused"], again["id"] == job["id"]) == (False, False)
