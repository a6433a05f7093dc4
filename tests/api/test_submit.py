"""POST jobs/."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from batch.models import BatchJob, BatchTarget
from batch.types import Problem
from tests.api.conftest import JOBS, URL

pytestmark = pytest.mark.django_db

FIELDS = [
    *("id", "status", "error", "caller_class"),
    *("targets_total", "targets_done", "targets_failed"),
    *("created_at", "started_at", "finished_at", "lease_expires_at"),
    *("worker_alive", "links"),
]


def refuse_all(targets: Any) -> list[Problem]:
    return [Problem(0, "url", "bad_host", "this host is not fetched", "leave it out")]


def test_a_submission_is_answered_with_the_running_job_and_its_address(as_ann: APIClient) -> None:
    answer = as_ann.post(JOBS, {"targets": [URL, {"url": URL}]}, format="json")
    assert answer.status_code == 202
    job = answer.json()
    assert list(job) == [*FIELDS, "reused"]
    assert job["reused"] is False
    assert job["status"] == "running"
    assert (job["targets_total"], job["targets_done"], job["targets_failed"]) == (2, 0, 0)
    assert job["caller_class"] == "user"
    assert (job["started_at"], job["finished_at"]) == (None, None)
    assert answer.headers["Location"] == job["links"]["self"]
    del job["reused"]
    assert as_ann.get(answer.headers["Location"]).json() == job


def test_the_same_submission_again_gives_the_same_job(as_ann: APIClient) -> None:
    body = {"targets": [{"url": URL, "options": {"grep": "a", "mode": "text"}}]}
    first = as_ann.post(JOBS, body, format="json")
    again = as_ann.post(
        JOBS,
        f'{{"targets":[{{"options":{{"mode":"text","grep":"a"}}, "url":"{URL}"}}]}}',
        content_type="application/json",
    )
    assert again.status_code == 200
    assert again.json()["reused"] is True
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["Location"] == first.headers["Location"]
    assert BatchJob.objects.count() == 1


def test_options_of_the_submission_are_defaults_that_a_target_overrides(
    as_ann: APIClient, submit: Any
) -> None:
    own = {"url": URL, "options": {"mode": "raw", "context": False}}
    submit(as_ann, URL, own, options={"mode": "text", "context": True, "pages": 3})
    stored = list(BatchTarget.objects.order_by("idx").values_list("options", flat=True))
    assert stored == [
        {"mode": "text", "pages": "3", "context": True},
        {"mode": "raw", "pages": "3"},
    ]


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({}, "targets", "no_targets"),
        ({"targets": []}, "targets", "no_targets"),
        ({"targets": None}, "targets", "wrong_type"),
        ({"targets": URL}, "targets", "wrong_type"),
        ({"targets": [URL], "options": None}, "options", "wrong_type"),
        ({"targets": [URL], "options": []}, "options", "wrong_type"),
        ({"targets": [URL], "option": {}}, "option", "unknown_field"),
        ({"targets": [URL], "\ud800": 1}, "\ufffd", "unknown_field"),
        ({"targets": [URL], "options": {"mood": ""}}, "mood", "unknown_option"),
        ({"targets": [URL], "options": {"extra": {"a": 1}}}, "extra", "unknown_option"),
        ({"targets": [""]}, "url", "missing_url"),
        ({"targets": [f"{URL}\0"]}, "url", "bad_text"),
        ({"targets": [{"url": URL, "options": {"grep": "\ud800"}}]}, "grep", "bad_text"),
    ],
)
def test_what_is_wrong_with_a_submission_is_named(
    as_ann: APIClient, body: Any, field: str, code: str
) -> None:
    answer = as_ann.post(JOBS, json.dumps(body), content_type="application/json")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "invalid_targets")
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [(field, code)]
    assert problem["hint"] == problem["errors"][0]["hint"] != ""
    assert BatchJob.objects.count() == 0


def test_all_that_is_wrong_is_named_at_once(as_ann: APIClient) -> None:
    body = {"targets": [URL, 7, {"url": URL, "mode": "text"}], "grep": "a"}
    problem = as_ann.post(JOBS, body, format="json").json()
    found = [(error["index"], error["field"], error["code"]) for error in problem["errors"]]
    assert found == [
        (None, "grep", "unknown_field"),
        (1, "url", "wrong_type"),
        (2, "mode", "unknown_field"),
    ]
    assert set(problem["errors"][0]) == {"index", "field", "code", "message", "hint"}


def test_a_bare_list_is_not_a_submission(as_ann: APIClient) -> None:
    problem = as_ann.post(JOBS, [URL], format="json").json()
    assert problem["code"] == "malformed_body"
    assert '"targets"' in problem["hint"]


def test_an_empty_body_is_told_what_is_missing(as_ann: APIClient) -> None:
    answer = as_ann.post(JOBS)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_targets")


def test_what_the_host_validates_is_named_by_the_api_too(as_ann: APIClient, settings: Any) -> None:
    settings.BATCH = {"VALIDATE": f"{__name__}.refuse_all"}
    problem = as_ann.post(JOBS, {"targets": [URL]}, format="json").json()
    assert problem["code"] == "invalid_targets"
    assert problem["errors"][0]["code"] == "bad_host"


def test_one_target_over_the_cap_is_refused_with_both_numbers(as_ann: APIClient) -> None:
    urls = [f"{URL}{number}" for number in range(33)]
    answer = as_ann.post(JOBS, {"targets": urls}, format="json")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "too_many_targets")
    assert (problem["limit"], problem["count"]) == (32, 33)
    assert BatchJob.objects.count() == 0
    assert as_ann.post(JOBS, {"targets": urls[:32]}, format="json").status_code == 202


def test_a_busy_caller_is_told_which_job_is_live_and_when_to_come_back(
    as_ann: APIClient, submit: Any
) -> None:
    live = submit(as_ann)
    answer = as_ann.post(JOBS, {"targets": [f"{URL}other"]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (429, "caller_busy")
    assert answer.json()["job"] == live["id"]
    assert int(answer.headers["Retry-After"]) > 0
    as_ann.post(live["links"]["cancel"])
    assert as_ann.post(JOBS, {"targets": [f"{URL}other"]}, format="json").status_code == 202


def test_a_busy_host_says_when_to_come_back(
    as_ann: APIClient, as_bob: APIClient, submit: Any, settings: Any
) -> None:
    settings.BATCH = {"JOBS_TOTAL": 1}
    submit(as_ann)
    answer = as_bob.post(JOBS, {"targets": [URL]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (429, "jobs_busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert "job" not in answer.json()


def test_a_submission_that_is_kept_passes_all_caps(
    as_ann: APIClient, submit: Any, settings: Any
) -> None:
    job = submit(as_ann, URL, f"{URL}2")
    settings.BATCH = {"TARGETS_PER_JOB": 1}
    assert submit(as_ann, URL, f"{URL}2") == {**job, "reused": True}


def test_two_callers_with_the_same_targets_have_a_job_each(
    as_ann: APIClient, as_bob: APIClient, submit: Any
) -> None:
    assert submit(as_ann)["id"] != submit(as_bob)["id"]


def test_caps_are_those_of_the_callers_class(
    as_ann: APIClient, as_staff: Any, submit: Any, settings: Any
) -> None:
    settings.BATCH = {
        "TARGETS_PER_JOB": 1,
        "CLASSES": {"staff": {"TARGETS_PER_JOB": 2, "JOBS_PER_CALLER": 2}},
    }
    staff = as_staff()
    assert submit(staff, URL, f"{URL}2")["caller_class"] == "staff"
    submit(staff, f"{URL}3")
    assert staff.post(JOBS, {"targets": [f"{URL}4"]}, format="json").status_code == 429
    answer = as_ann.post(JOBS, {"targets": [URL, f"{URL}2"]}, format="json")
    assert (answer.status_code, answer.json()["limit"]) == (422, 1)
