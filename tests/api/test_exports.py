"""Results as files: who gets them, how they are announced, and how they are sent."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connections
from django.http import StreamingHttpResponse
from django.urls import resolve
from rest_framework.test import APIClient

from batch import exports, results
from batch.errors import UnknownJobError
from batch.exports import FORMS
from batch.results import COLUMNS
from batch.runner import Runner
from tests.api.conftest import JOBS
from tests.api.rows import job_of, targets_of
from tests.rules.jobs import lapse

pytestmark = pytest.mark.django_db

TYPES = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "zip": "application/zip",
}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
each_form = pytest.mark.parametrize("form", TYPES)


def place(job: Any, form: str) -> str:
    return f"{JOBS}{job.id}/results.{form}"


def body(answer: Any) -> bytes:
    assert isinstance(answer, StreamingHttpResponse)
    return answer.getvalue()


def rows(form: str, raw: bytes) -> list[dict[str, Any]]:
    """As texts, which is all that CSV knows."""
    if form == "jsonl":
        return [json.loads(line) for line in raw.decode().splitlines()]
    if form == "zip":
        opened = zipfile.ZipFile(io.BytesIO(raw))
        assert opened.testzip() is None
        raw = opened.read("index.csv")
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


@pytest.fixture
def job(ann: User) -> Any:
    job = job_of(ann, "partial")
    targets_of(job, "done", "failed", "pending")
    return job


@each_form
def test_results_are_a_file_with_a_row_a_target(as_ann: APIClient, job: Any, form: str) -> None:
    answer = as_ann.get(place(job, form))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == TYPES[form]
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{job.id}.{form}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Content-Length" not in answer.headers
    shown = rows(form, body(answer))
    if form != "zip":
        assert tuple(shown[0]) == COLUMNS
        assert [row["content"] or "" for row in shown] == ["some text", "", ""]
    assert [str(row["idx"]) for row in shown] == ["0", "1", "2"]
    assert [row["status"] for row in shown] == ["done", "failed", "pending"]
    assert [row["code"] for row in shown] == ["", "timeout", ""]
    assert {row["job"] for row in shown} == {str(job.id)}


def test_the_forms_are_those_of_the_exports() -> None:
    assert {form: FORMS[form].content_type for form in FORMS} == TYPES


def test_a_jobs_links_lead_to_its_files(as_ann: APIClient, job: Any) -> None:
    links = as_ann.get(f"{JOBS}{job.id}/").json()["links"]
    for form in TYPES:
        assert links[f"results_{form}"] == f"http://testserver{place(job, form)}"
        assert len(rows(form, body(as_ann.get(links[f"results_{form}"])))) == 3


@each_form
def test_any_spelling_of_the_id_is_taken(as_ann: APIClient, job: Any, form: str) -> None:
    for spelling in (job.id.hex.upper(), f"{{{job.id}}}"):
        answer = as_ann.get(f"{JOBS}{spelling}/results.{form}")
        assert answer.headers["Content-Disposition"].endswith(f'"{job.id}.{form}"')
        assert body(answer)


@each_form
@pytest.mark.parametrize("accept", ["*/*", "", BROWSER, "application/json", "text/csv", "x", "a/b"])
def test_the_file_is_sent_whatever_the_request_accepts(
    as_ann: APIClient, job: Any, form: str, accept: str
) -> None:
    answer = as_ann.get(place(job, form) + "?format=api", HTTP_ACCEPT=accept)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, TYPES[form])
    assert body(answer)


@each_form
def test_a_job_without_targets_has_a_file(ann: User, as_ann: APIClient, form: str) -> None:
    answer = as_ann.get(place(job_of(ann), form))
    assert (answer.status_code, rows(form, body(answer))) == (200, [])


@each_form
def test_the_results_of_a_live_job_are_those_it_has(
    ann: User, as_ann: APIClient, form: str
) -> None:
    job = job_of(ann, "running")
    targets_of(job, "done", "running", "pending")
    shown = rows(form, body(as_ann.get(place(job, form))))
    assert [row["status"] for row in shown] == ["done", "running", "pending"]


@each_form
def test_head_is_a_get_without_its_body(
    as_ann: APIClient, job: Any, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = as_ann.get(place(job, form))
    assert body(get)
    monkeypatch.setattr("batch.api.exports.begun", None)  # nothing is read for it
    head = as_ann.head(place(job, form))
    assert (head.status_code, body(head)) == (200, b"")
    assert head.headers == get.headers
    assert as_ann.head(f"{JOBS}x/results.{form}").status_code == 404


@each_form
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_other_verbs_are_refused(as_ann: APIClient, job: Any, form: str, method: str) -> None:
    answer = getattr(as_ann, method)(place(job, form))
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert Runner().job(str(job.id))


@each_form
def test_options_tells_what_works(as_ann: APIClient, job: Any, form: str) -> None:
    answer = as_ann.options(place(job, form))
    assert (answer.status_code, answer.headers["Allow"]) == (200, "GET, HEAD, OPTIONS")


@each_form
@pytest.mark.parametrize("method", ["get", "head"])
def test_nobody_gets_the_results_of_another_caller(
    job: Any, as_bob: APIClient, as_staff: Callable[..., APIClient], form: str, method: str
) -> None:
    address = place(job, form)
    unknown = f"{JOBS}00000000-0000-7000-8000-000000000000/results.{form}"
    for client in (as_bob, as_staff("change", "delete")):
        answer, never = getattr(client, method)(address), getattr(client, method)(unknown)
        assert answer.status_code == never.status_code == 404
        assert answer.headers["Content-Type"] == "application/problem+json"
        if method == "get":
            assert answer.json()["code"] == "not_found"
            told = [a.content.decode().replace(str(job.id), "") for a in (answer, never)]
            assert told[0] == told[1].replace("00000000-0000-7000-8000-000000000000", "")


@each_form
def test_staff_with_the_permission_get_anybodys(
    job: Any, as_staff: Callable[..., APIClient], form: str
) -> None:
    assert len(rows(form, body(as_staff("view").get(place(job, form))))) == 3


@each_form
@pytest.mark.parametrize("method", ["get", "head", "options", "post", "delete"])
def test_nobody_unknown_gets_anything(job: Any, form: str, method: str) -> None:
    answer = getattr(APIClient(), method)(place(job, form))
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"


@each_form
def test_a_job_whose_lease_has_lapsed_is_gone(as_ann: APIClient, job: Any, form: str) -> None:
    lapse(str(job.id))
    answer = as_ann.get(place(job, form))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "ending", ["xml", "json", "", "JSONL", "csv/", "csv/x", "csv%00", "zip.zip"]
)
def test_there_are_no_other_forms(as_ann: APIClient, job: Any, ending: str) -> None:
    answer = as_ann.get(place(job, ending))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (UnknownJobError("x"), 404, "not_found"),
        (OperationalError("database is locked"), 503, "database_away"),
        (RuntimeError("secret"), 500, "internal"),
    ],
    ids=["gone", "away", "broken"],
)
@each_form
def test_what_goes_wrong_before_the_first_byte_is_a_problem(
    as_ann: APIClient,
    job: Any,
    form: str,
    error: Exception,
    status: int,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(results, "_rows", fail)
    answer = as_ann.get(place(job, form))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "Content-Disposition" not in answer.headers
    assert "secret" not in answer.content.decode()


@each_form
def test_what_goes_wrong_later_breaks_the_answer_off_and_is_logged(
    as_ann: APIClient,
    job: Any,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 1)
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    answer = as_ann.get(place(job, form))
    pieces: Iterator[bytes] = iter(answer.streaming_content)  # type: ignore[arg-type]
    assert next(pieces)
    Runner().delete(str(job.id))
    with pytest.raises(UnknownJobError):
        list(pieces)
    (record,) = [r for r in caplog.records if r.getMessage() == "export_broken"]
    assert vars(record)["job"] == str(job.id)


@each_form
def test_no_file_is_made_within_a_transaction_of_the_host(form: str) -> None:
    view: Any = resolve(f"{JOBS}1/results.{form}").func
    assert view._non_atomic_requests == set(connections)
