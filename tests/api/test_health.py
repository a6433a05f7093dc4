"""health/: what a load balancer or a probe is told, who has no account."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.utils import InterfaceError, OperationalError, ProgrammingError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.settings import api_settings
from rest_framework.test import APIClient
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from batch.models import BatchWorker
from tests.connection import connection
from tests.rules.jobs import claim, submit

pytestmark = pytest.mark.django_db
HEALTH = "/api/health/"
ALIVE = "/api/health/alive/"
WELL = {"alive": True, "ready": True, "queue": True}
SILENCE = timedelta(seconds=70)


class Nobody(BaseAuthentication):
    def authenticate(self, request: Any) -> None:
        raise AuthenticationFailed


class Never(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        return False


def ask(address: str = HEALTH, **headers: Any) -> Any:
    return APIClient().get(address, headers=headers)


def without_database(error: Exception, address: str = HEALTH) -> Any:
    def refuse(*args: Any) -> None:
        raise error

    with connection.execute_wrapper(refuse):
        return ask(address)


def test_anybody_is_told_that_the_server_is_well() -> None:
    answer = ask()
    assert (answer.status_code, answer.json()) == (200, WELL)
    assert answer.headers["Cache-Control"] == "no-store"
    assert ask(ALIVE).json() == {"alive": True}


def test_jobs_that_wait_for_no_worker_leave_the_server_in_service() -> None:
    submit()
    BatchWorker.objects.create(name="silent:1:aa", seen_at=timezone.now() - SILENCE)
    answer = ask()
    assert (answer.status_code, answer.json()) == (200, {**WELL, "queue": False})
    BatchWorker.objects.create(name="here:1:aa")
    assert ask().json() == WELL


def test_a_job_in_hand_does_not_wait() -> None:
    claim(submit())
    assert ask().json() == WELL


def test_where_something_else_drains_no_worker_is_missed(settings: Any) -> None:
    submit()
    settings.BATCH = {"DISPATCH": "thread"}
    assert ask().json() == WELL


@pytest.mark.parametrize("waiting", [0, 3])
def test_it_takes_few_queries_whatever_waits(waiting: int) -> None:
    for _ in range(waiting):
        submit()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ask()
    asked = [q["sql"] for q in queries.captured_queries]
    assert len([sql for sql in asked if "batch_" in sql]) == 2
    assert len(asked) <= 3  # the clock's is the third
    assert all("COUNT" not in sql for sql in asked)


@pytest.mark.parametrize("error", [OperationalError("database is locked"), InterfaceError("gone")])
def test_without_a_database_the_server_is_out_of_service(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("batch.database.CONFLICT_SECONDS", 0)
    answer = without_database(error)
    assert answer.status_code == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "database_away"


@pytest.mark.parametrize(
    "error", [OperationalError("no such table: batch_batchjob"), ProgrammingError("no column x")]
)
def test_before_its_migrations_the_server_is_out_of_service(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    answer = without_database(error)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
    assert "batch_batchjob" not in answer.content.decode()
    assert "migrate" in answer.json()["hint"]
    assert "not_ready" in [record.getMessage() for record in caplog.records]


def test_a_process_without_a_database_is_alive() -> None:
    assert without_database(InterfaceError("gone"), ALIVE).status_code == 200


@pytest.mark.parametrize("address", [HEALTH, ALIVE, HEALTH.rstrip("/")])
def test_no_credentials_and_no_throttle_of_the_host_take_it_out_of_service(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(APIView, "authentication_classes", [Nobody])
    monkeypatch.setattr(APIView, "throttle_classes", [Never])
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_CLASSES", [Never])
    assert ask(address, authorization="Bearer wrong").status_code == 200


@pytest.mark.parametrize("accept", ["text/plain", "text/html", "image/png"])
def test_it_is_json_whatever_a_probe_accepts(accept: str) -> None:
    answer = ask(accept=accept)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == WELL
