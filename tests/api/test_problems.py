"""Every error is `application/problem+json`, and tells what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http.client import responses
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import connections
from django.db.utils import InterfaceError, OperationalError, ProgrammingError
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.test import APIClient
from rest_framework.throttling import BaseThrottle

from batch.api.base import ApiView
from batch.api.codes import CODES
from batch.models import BatchJob
from tests.api.conftest import JOBS, URL, client_of
from tests.api.rows import job_of, targets_of
from tests.connection import connection

pytestmark = pytest.mark.django_db


class Slowly(BaseThrottle):
    seconds: float | None = 6.2

    def allow_request(self, request: Any, view: Any) -> bool:
        return False

    def wait(self) -> float | None:
        return self.seconds


class InMonths(Slowly):
    seconds = None


def broken(request: Any) -> tuple[str, str]:
    raise RuntimeError("the password is hunter2")


def suspicious(request: Any) -> tuple[str, str]:
    raise SuspiciousOperation("too odd")


class Teapot(APIException):
    status_code = 418
    default_code = "teapot"
    default_detail = "short and stout"


def teapot(request: Any) -> tuple[str, str]:
    raise Teapot


def odd_token(request: Any) -> tuple[str, str]:
    raise AuthenticationFailed({"detail": "this token has expired", "code": "expired"})


class Scene:
    """What a provocation may need."""

    def __init__(self, ann: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ann = ann
        self.client = client_of(ann)
        self.settings = settings
        self.patch = monkeypatch

    def submit(self, *urls: str) -> Any:
        return self.client.post(JOBS, {"targets": urls}, format="json")

    def job(self, status: str, *targets: str) -> str:
        job = job_of(self.ann, status)
        targets_of(job, *targets)
        return f"{JOBS}{job.id}/"

    def by(self, function: Callable[..., Any]) -> Any:
        self.settings.BATCH = {"CALLER": f"{__name__}.{function.__name__}"}
        return self.client.get(JOBS)

    def without_database(self, error: Exception, table: str = "", address: str = JOBS) -> Any:
        def refuse(execute: Any, sql: str, *rest: Any) -> Any:
            if table in sql:
                raise error
            return execute(sql, *rest)

        with connections["default"].execute_wrapper(refuse), connection.execute_wrapper(refuse):
            return self.client.get(address)


@pytest.fixture
def scene(ann: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(ann, settings, monkeypatch)


def no_json(scene: Scene) -> Any:
    return scene.client.post(JOBS, "{", content_type="application/json")


def caller_busy(scene: Scene) -> Any:
    scene.submit(URL)
    return scene.submit(f"{URL}2")


def jobs_busy(scene: Scene) -> Any:
    scene.settings.BATCH = {"JOBS_TOTAL": 1, "JOBS_PER_CALLER": 2}
    return caller_busy(scene)


def too_large(scene: Scene) -> Any:
    scene.settings.BATCH = {"BODY_MAX_BYTES": 10}
    return scene.submit(URL)


def throttled(scene: Scene) -> Any:
    scene.patch.setattr(ApiView, "throttle_classes", [Slowly])
    return scene.client.get(JOBS)


PROVOKE: dict[str, Callable[[Scene], Any]] = {
    "malformed_body": no_json,
    "invalid_targets": lambda scene: scene.submit(""),
    "invalid_query": lambda scene: scene.client.get(JOBS, {"limit": "x"}),
    "not_authenticated": lambda scene: APIClient().get(JOBS),
    "permission_denied": lambda scene: scene.client.get(JOBS, {"all": "1"}),
    "not_found": lambda scene: scene.client.get(f"{JOBS}x/"),
    "method_not_allowed": lambda scene: scene.client.put(JOBS),
    "not_acceptable": lambda scene: scene.client.get(JOBS, HTTP_ACCEPT="image/png"),
    "job_live": lambda scene: scene.client.delete(scene.job("running", "pending")),
    "job_terminal": lambda scene: scene.client.post(scene.job("done", "done") + "cancel/"),
    "nothing_to_retry": lambda scene: scene.client.post(scene.job("done", "done") + "retry/"),
    "body_too_large": too_large,
    "unsupported_media_type": lambda scene: scene.client.post(
        JOBS, "targets: []", content_type="application/yaml"
    ),
    "too_many_targets": lambda scene: scene.submit(*[URL] * 33),
    "caller_busy": caller_busy,
    "jobs_busy": jobs_busy,
    "throttled": throttled,
    "internal": lambda scene: scene.by(broken),
    "database_away": lambda scene: scene.without_database(OperationalError("gone")),
    "not_ready": lambda scene: scene.without_database(
        ProgrammingError("no such table"), address="/api/health/"
    ),
}


def test_every_code_is_provoked_here() -> None:
    assert PROVOKE.keys() == CODES.keys()


@pytest.mark.parametrize("code", PROVOKE)
def test_every_error_is_a_problem_with_a_code_and_a_hint(scene: Scene, code: str) -> None:
    answer = PROVOKE[code](scene)
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert list(problem)[:6] == ["type", "title", "status", "detail", "code", "hint"]
    assert problem["type"] == "about:blank"
    assert problem["status"] == answer.status_code == CODES[code].status
    assert problem["title"] == responses[answer.status_code]
    assert problem["code"] == code
    assert problem["detail"]
    assert problem["hint"]
    waits = answer.status_code in (429, 503)
    assert ("Retry-After" in answer.headers) is waits
    assert not waits or int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("code", sorted(PROVOKE.keys() - {"not_acceptable"}))
def test_errors_stay_problems_for_a_browser(scene: Scene, code: str) -> None:
    scene.client.defaults["HTTP_ACCEPT"] = "text/html"
    answer = PROVOKE[code](scene)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == code


def test_someone_unknown_is_told_how_to_log_in(db: None) -> None:
    for client in (APIClient(), APIClient(headers={"authorization": "Bearer wrong"})):
        answer = client.get(JOBS)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_someone_unknown_is_told_nothing_about_what_is_there(ann: User) -> None:
    job = job_of(ann)
    for place in ("", f"{job.id}/", f"{job.id}/targets/0/", "x/", "x/y/z"):
        for method in ("get", "post", "put", "delete", "options"):
            assert getattr(APIClient(), method)(JOBS + place).status_code == 401


def test_where_the_host_knows_sessions_alone_it_is_403_with_the_same_code(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ApiView, "authentication_classes", [SessionAuthentication])
    answer = APIClient().get(JOBS)
    assert (answer.status_code, answer.json()["status"]) == (403, 403)
    assert answer.json()["code"] == "not_authenticated"


def test_a_session_without_a_csrf_token_may_change_nothing(ann: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(ann)
    answer = client.post(JOBS, {"targets": [URL]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert BatchJob.objects.count() == 0


def test_a_format_that_is_not_there_is_not_acceptable(as_ann: APIClient) -> None:
    answer = as_ann.get(JOBS, {"format": "xml"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert as_ann.get(JOBS, {"format": "json"}).status_code == 200


def test_a_throttle_says_when_to_come_back(scene: Scene) -> None:
    assert throttled(scene).headers["Retry-After"] == "7"
    scene.patch.setattr(ApiView, "throttle_classes", [InMonths])
    assert int(scene.client.get(JOBS).headers["Retry-After"]) > 0


def test_an_error_of_the_server_is_told_by_its_reference_alone(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    answer = scene.by(broken)
    assert answer.status_code == 500
    assert "hunter2" not in answer.content.decode()
    assert "RuntimeError" not in answer.content.decode()
    (record,) = [entry for entry in caplog.records if entry.name == "batch"]
    assert record.getMessage() == "api_error"
    assert record.levelno == logging.ERROR
    assert record.reference == answer.json()["reference"]
    assert record.exc_info
    assert isinstance(record.exc_info[1], RuntimeError)


def test_debug_shows_no_traceback_either(scene: Scene) -> None:
    scene.settings.DEBUG = True
    assert scene.by(broken).json()["code"] == "internal"


@pytest.mark.parametrize("error", [OperationalError("refused at 10.0.0.7"), InterfaceError()])
@pytest.mark.parametrize("table", ["", "batch_batchjob", "auth_user"])
def test_a_database_that_is_away_is_no_ones_fault(
    scene: Scene, error: Exception, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = scene.without_database(error, table)
    assert (answer.status_code, answer.json()["code"]) == (503, "database_away")
    assert "10.0.0.7" not in answer.content.decode()
    assert int(answer.headers["Retry-After"]) > 0
    assert "database_away" in [entry.getMessage() for entry in caplog.records]
    assert scene.client.get(JOBS).status_code == 200


def test_many_requests_without_a_database_are_told_of_in_one_line(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        scene.without_database(OperationalError("refused at 10.0.0.7\nIs it running?"))
    (told,) = [entry for entry in caplog.records if entry.name == "batch"]
    assert (told.getMessage(), told.exc_info) == ("database_away", None)
    assert told.error == "refused at 10.0.0.7 Is it running?"  # type: ignore[attr-defined]


def test_what_django_calls_suspicious_is_a_bad_request(scene: Scene) -> None:
    answer = scene.by(suspicious)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_body")


def test_errors_of_the_hosts_own_keep_status_code_and_words(scene: Scene) -> None:
    answer = scene.by(teapot)
    assert (answer.status_code, answer.json()["code"]) == (418, "teapot")
    assert answer.json()["detail"] == "short and stout"
    assert scene.by(odd_token).json()["detail"] == "this token has expired"


def test_the_hosts_own_exception_handler_is_left_alone(scene: Scene) -> None:
    from rest_framework.settings import api_settings
    from rest_framework.views import APIView, exception_handler

    assert api_settings.EXCEPTION_HANDLER is exception_handler
    assert APIView().get_exception_handler() is exception_handler
