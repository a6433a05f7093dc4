"""Who the caller is, and what each caller reaches."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from batch.models import BatchJob
from tests.api.conftest import JOBS, URL, token_of
from tests.api.rows import job_of, targets_of

pytestmark = pytest.mark.django_db

REACHES = [
    ("get", ""),
    ("get", "targets/"),
    ("get", "targets/0/"),
    ("post", "cancel/"),
    ("post", "retry/"),
    ("delete", ""),
]
NEEDS = dict(zip(REACHES, ["view", "view", "view", "change", "change", "delete"], strict=True))


def by_key(request: Any) -> tuple[str, str]:
    return request.headers["X-Key"], "gold"


def nobody(request: Any) -> tuple[str, str]:
    return "", ""


@pytest.mark.parametrize(("method", "place"), REACHES)
def test_another_callers_job_is_answered_like_one_that_never_was(
    ann: User, as_bob: APIClient, method: str, place: str
) -> None:
    job = job_of(ann, "running" if place == "cancel/" else "failed")
    targets_of(job, "failed")
    answer = getattr(as_bob, method)(f"{JOBS}{job.id}/{place}")
    never = getattr(as_bob, method)(f"{JOBS}{'f' * 32}/{place}")
    assert answer.status_code == never.status_code == 404
    assert answer.json()["detail"].replace(str(job.id), "f" * 32) == never.json()["detail"]
    assert answer.json().keys() == never.json().keys()
    assert BatchJob.objects.filter(status=job.status).count() == 1


@pytest.mark.parametrize(("method", "place"), REACHES)
def test_staff_reach_any_job_with_the_permission_for_it_alone(
    ann: User, as_staff: Any, method: str, place: str
) -> None:
    job = job_of(ann, "running" if place == "cancel/" else "failed")
    targets_of(job, "failed")
    others = {"add", "view", "change", "delete"} - {NEEDS[method, place]}
    client = as_staff(*others)
    assert getattr(client, method)(f"{JOBS}{job.id}/{place}").status_code == 404
    User.objects.all().delete()
    client = as_staff(NEEDS[method, place])
    assert getattr(client, method)(f"{JOBS}{job.id}/{place}").status_code < 300


def test_permissions_without_being_staff_reach_nothing(ann: User, as_bob: APIClient) -> None:
    User.objects.filter(username="bob").update(is_superuser=True)
    assert as_bob.get(f"{JOBS}{job_of(ann).id}/").status_code == 404


def test_a_retry_by_staff_makes_a_job_of_its_first_caller(ann: User, as_staff: Any) -> None:
    job = job_of(ann, "failed")
    targets_of(job, "failed")
    client = as_staff("change", "view")
    answer = client.post(f"{JOBS}{job.id}/retry/")
    assert answer.status_code == 202
    assert BatchJob.objects.get(id=answer.json()["id"]).caller == f"user:{ann.pk}"


def test_the_list_has_the_callers_own_jobs_also_for_staff(ann: User, as_staff: Any) -> None:
    job_of(ann)
    assert as_staff("view").get(JOBS).json()["results"] == []


def test_staff_see_everybodys_jobs_when_they_ask_for_all(ann: User, as_staff: Any) -> None:
    job = job_of(ann)
    found = as_staff("view").get(JOBS, {"all": "1"}).json()["results"]
    assert [row["id"] for row in found] == [str(job.id)]


def test_all_is_refused_without_the_permission_or_without_being_staff(
    as_ann: APIClient, as_staff: Any
) -> None:
    for client in (as_ann, as_staff("change", "delete")):
        answer = client.get(JOBS, {"all": "1"})
        assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert as_ann.get(JOBS, {"all": "0"}).status_code == 200


def test_a_bearer_token_names_the_caller(ann: User, as_ann: APIClient, submit: Any) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(ann)}")
    job = submit(client)
    assert as_ann.get(f"{JOBS}{job['id']}/").status_code == 200


def test_a_host_can_name_callers_and_classes_by_a_function_of_its_own(
    as_ann: APIClient, as_bob: APIClient, submit: Any, settings: Any
) -> None:
    settings.BATCH = {
        "CALLER": f"{__name__}.by_key",
        "CLASSES": {"gold": {"JOBS_PER_CALLER": 2}},
        "TARGETS_PER_JOB": 1,
    }
    for client in (as_ann, as_bob):
        client.credentials(HTTP_X_KEY="shared key")
    assert submit(as_ann)["caller_class"] == "gold"
    assert submit(as_bob)["reused"] is True
    submit(as_bob, f"{URL}2")
    assert len(as_ann.get(JOBS).json()["results"]) == 2
    assert as_ann.post(JOBS, {"targets": [f"{URL}3"]}, format="json").status_code == 429
    as_ann.credentials(HTTP_X_KEY="another key")
    assert as_ann.get(JOBS).json()["results"] == []


def test_a_caller_that_cannot_be_is_an_error_of_the_server(
    as_ann: APIClient, settings: Any
) -> None:
    settings.BATCH = {"CALLER": f"{__name__}.nobody"}
    answer = as_ann.post(JOBS, {"targets": [URL]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
