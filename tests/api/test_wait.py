"""GET jobs/{id}/ with ETag and ?wait=."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connections
from rest_framework.test import APIClient

from batch.api import waiting
from batch.models import BatchJob
from tests.api.conftest import JOBS
from tests.api.rows import job_of
from tests.concurrency import eventually, run_threads
from tests.connection import connection

pytestmark = pytest.mark.django_db


def live_job(user: User) -> BatchJob:
    return job_of(user, "running", total=3)


def at(job: BatchJob) -> str:
    return f"{JOBS}{job.id}/"


def timed(client: APIClient, url: str, **headers: Any) -> tuple[Any, float]:
    began = time.monotonic()
    answer = client.get(url, headers=headers)
    return answer, time.monotonic() - began


def tag(client: APIClient, job: BatchJob) -> str:
    return str(client.get(at(job))["ETag"])


@contextmanager
def changed_after(seconds: float, job: BatchJob, **values: Any) -> Iterator[None]:
    """Changes the job from elsewhere meanwhile."""

    def change() -> None:
        time.sleep(seconds)
        run_threads(1, lambda _: BatchJob.objects.filter(id=job.id).update(**values))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def test_a_poll_that_finds_nothing_new_has_no_body(ann: User, as_ann: APIClient) -> None:
    job = live_job(ann)
    known = tag(as_ann, job)
    for given in (known, f'"other", {known}', known.removeprefix("W/"), "*"):
        answer = as_ann.get(at(job), headers={"If-None-Match": given})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer["ETag"] == known
        assert answer["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("given", ['"other"', "", "nonsense", 'W/"'])
def test_another_tag_gets_the_job(ann: User, as_ann: APIClient, given: str) -> None:
    answer = as_ann.get(at(live_job(ann)), headers={"If-None-Match": given})
    assert answer.status_code == 200
    assert answer.json()["status"]


def test_whatever_changes_in_a_job_changes_its_tag(ann: User, as_ann: APIClient) -> None:
    job = live_job(ann)
    seen = {tag(as_ann, job)}
    for values in ({"targets_done": 1}, {"targets_failed": 1}, {"worker": "w"}, {"error": "no"}):
        BatchJob.objects.filter(id=job.id).update(**values)
        seen.add(tag(as_ann, job))
    assert len(seen) == 4  # the worker's name is not shown


def test_without_wait_the_answer_is_at_once(ann: User, as_ann: APIClient) -> None:
    for query in ("", "?wait=0", "?wait=0.0"):
        answer, seconds = timed(as_ann, at(live_job(ann)) + query)
        assert answer.status_code == 200
        assert seconds < 0.5


def test_a_wait_ends_after_its_seconds_where_nothing_is_new(ann: User, as_ann: APIClient) -> None:
    job = live_job(ann)
    answer, seconds = timed(as_ann, at(job) + "?wait=0.4")
    assert (answer.status_code, answer.json()["id"]) == (200, str(job.id))
    assert 0.4 <= seconds < 3
    answer, seconds = timed(as_ann, at(job) + "?wait=0.4", **{"If-None-Match": answer["ETag"]})
    assert answer.status_code == 304
    assert 0.4 <= seconds < 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tagged", [True, False])
def test_a_wait_ends_as_soon_as_something_is_new(
    ann: User, as_ann: APIClient, tagged: bool
) -> None:
    job = live_job(ann)
    headers = {"If-None-Match": tag(as_ann, job)} if tagged else {}
    with changed_after(0.3, job, targets_done=2):
        answer, seconds = timed(as_ann, at(job) + "?wait=20", **headers)
    assert answer.json()["targets_done"] == 2
    assert 0.25 < seconds < 5


def test_what_is_new_already_is_not_waited_for(ann: User, as_ann: APIClient) -> None:
    job = live_job(ann)
    known = tag(as_ann, job)
    BatchJob.objects.filter(id=job.id).update(targets_done=1)
    answer, seconds = timed(as_ann, at(job) + "?wait=20", **{"If-None-Match": known})
    assert answer.json()["targets_done"] == 1
    assert seconds < 2


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_a_job_that_has_ended_is_not_waited_for(ann: User, as_ann: APIClient, status: str) -> None:
    job = job_of(ann, status)
    known = tag(as_ann, job)
    answer, seconds = timed(as_ann, at(job) + "?wait=20", **{"If-None-Match": known})
    assert answer.status_code == 304
    assert seconds < 2


@pytest.mark.django_db(transaction=True)
def test_a_job_that_goes_while_it_is_waited_for_is_not_found(ann: User, as_ann: APIClient) -> None:
    job = live_job(ann)
    timer = threading.Timer(
        0.3, lambda: run_threads(1, lambda _: BatchJob.objects.filter(id=job.id).delete())
    )
    timer.start()
    answer, seconds = timed(as_ann, at(job) + "?wait=20")
    timer.join()
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert seconds < 5


@pytest.mark.parametrize("wait", ["999999999", "9" * 400, "1e3", "1.5E+400"])
def test_nobody_waits_longer_than_the_most(
    ann: User, as_ann: APIClient, monkeypatch: pytest.MonkeyPatch, wait: str
) -> None:
    monkeypatch.setattr(waiting, "MOST_SECONDS", 0.3)
    answer, seconds = timed(as_ann, f"{at(live_job(ann))}?{urlencode({'wait': wait})}")
    assert answer.status_code == 200
    assert seconds < 3


@pytest.mark.parametrize(
    "wait", ["", "x", "-1", "nan", "inf", "1e", "e3", "1.", ".5", "\u0661", " 1", "1,5"]
)
def test_a_wait_that_is_no_number_is_refused(ann: User, as_ann: APIClient, wait: str) -> None:
    answer = as_ann.get(at(live_job(ann)), {"wait": wait})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")


@pytest.mark.django_db(transaction=True)
def test_a_waiter_holds_no_connection_while_it_sleeps(
    ann: User, as_ann: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_ones: list[Any] = []

    def sleep(seconds: float) -> None:
        for each in connections.all(initialized_only=True):
            open_ones.append(each.connection)
        threading.Event().wait(seconds)

    monkeypatch.setattr(waiting.time, "sleep", sleep)
    job = live_job(ann)
    as_ann.get(at(job) + "?wait=0.2")
    # One in memory would be gone with its last connection.
    in_memory = connection.vendor == "sqlite" and connection.is_in_memory_db()
    assert open_ones
    assert in_memory or set(open_ones) == {None}


@pytest.mark.django_db(transaction=True)
def test_only_so_many_wait_at_once_and_the_next_is_answered(ann: User, settings: Any) -> None:
    settings.BATCH = {"WAITERS": 1}
    job = live_job(ann)

    def ask(number: int) -> float:
        client = APIClient()
        client.force_login(ann)
        return timed(client, at(job) + "?wait=1")[1]

    took = sorted(run_threads(2, ask))
    assert took[0] < 0.9 <= took[1]
    eventually(lambda: waiting._waiters == 0)
