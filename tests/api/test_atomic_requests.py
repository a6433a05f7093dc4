"""A host project whose requests are transactions."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.http import HttpResponse
from django.urls import include, path, resolve
from rest_framework.test import APIClient

from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from batch.types import Problem, Target
from tests.api.conftest import JOBS, URL, client_of
from tests.connection import connection

pytestmark = pytest.mark.django_db(transaction=True)

in_transaction: list[bool] = []


def note(targets: list[Target]) -> list[Problem]:
    in_transaction.append(connection.in_atomic_block)
    return []


def host_view(request: Any) -> HttpResponse:
    Runner().submit("host", "", [Target(URL)])
    raise RuntimeError("after the submit")


urlpatterns = [path("api/", include("batch.api.urls")), path("host/", host_view)]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, settings: Any) -> APIClient:
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    settings.ROOT_URLCONF = __name__
    settings.BATCH = {"VALIDATE": f"{__name__}.note"}
    in_transaction.clear()
    client = client_of(User.objects.create_user("ann"))
    client.raise_request_exception = False
    return client


def rows() -> int:
    return BatchJob.objects.count() + BatchTarget.objects.count()


def test_a_submit_runs_in_no_transaction_but_its_own(client: APIClient) -> None:
    assert client.post(JOBS, {"targets": [URL]}, format="json").status_code == 202
    assert in_transaction == [False]
    assert rows() == 2


def test_the_views_of_the_host_do_run_in_one_and_roll_back(client: APIClient) -> None:
    assert client.get("/host/").status_code == 500
    assert in_transaction == [True]
    assert rows() == 0


def test_every_view_is_outside_of_the_transactions_of_every_database() -> None:
    for place in ("", "1/", "1/targets/", "1/targets/0/", "1/cancel/", "1/retry/", "a/b/c"):
        view = resolve(JOBS + place).func
        assert view._non_atomic_requests == set(connections)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("urls", "status"),
    [
        ([URL] * 33, 422),
        ([URL] * 19 + [""] + [URL] * 12, 400),
        ([f"{URL}other"], 429),
    ],
)
def test_a_refusal_leaves_no_rows(client: APIClient, urls: list[str], status: int) -> None:
    if status == 429:
        client.post(JOBS, {"targets": [URL]}, format="json")
    before = rows()
    assert client.post(JOBS, {"targets": urls}, format="json").status_code == status
    assert rows() == before


def test_an_error_after_a_submit_does_not_undo_what_was_promised(
    client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> bool:
        raise RuntimeError("while the answer was made")

    monkeypatch.setattr("batch.api.views.worker_alive", fail)
    assert client.post(JOBS, {"targets": [URL]}, format="json").status_code == 500
    monkeypatch.undo()
    assert client.post(JOBS, {"targets": [URL]}, format="json").json()["reused"] is True
