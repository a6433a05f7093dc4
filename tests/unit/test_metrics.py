"""Metrics: what the rows say, and what happens in a process."""

from __future__ import annotations

import signal
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from django.contrib.admin.views.decorators import staff_member_required
from django.contrib.auth.models import User
from django.db import connections
from django.db.utils import OperationalError, ProgrammingError
from django.test import Client
from django.urls import path
from django.utils import timezone
from prometheus_client.metrics import MetricWrapperBase

from batch.management.commands import batch_worker
from batch.metrics import events
from batch.metrics.rows import Rows
from batch.metrics.view import metrics
from batch.models import BatchWorker
from batch.testing import FakeFetch
from sift_batch.demo.children import HOST, listen
from tests.concurrency import eventually
from tests.connection import connection
from tests.docs.documents import rows, section
from tests.faults.workers import Records, all_terminal, start
from tests.processes import Processes
from tests.rules.jobs import change, claim, drained, submit, targets
from tests.unit.commands import refused
from tests.unit.samples import Samples, samples

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
urlpatterns = [
    path("metrics/", metrics),
    path("guarded/", staff_member_required(metrics, login_url="/")),
]


def scraped() -> Samples:
    answer = Client().get("/metrics/")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    return samples(answer.content.decode())


def test_the_queue_and_the_workers_are_told() -> None:
    first = submit()
    change(first, created_at=timezone.now() - timedelta(minutes=5))
    submit()
    claim(submit())
    BatchWorker.objects.create(name="a:1:aa", slots=4, busy=1)
    BatchWorker.objects.create(name="b:1:aa", slots=2, busy=2)
    long_ago = timezone.now() - timedelta(hours=1)
    BatchWorker.objects.create(name="dead:1:aa", slots=9, seen_at=long_ago)
    found = scraped()
    assert found["batch_jobs_waiting",] == 2
    assert 300 <= found["batch_jobs_waiting_seconds",] < 360
    assert found["batch_jobs_running",] == 1
    assert found["batch_workers",] == 2
    assert found["batch_slots",] == 6
    assert found["batch_slots_busy",] == 3


def test_jobs_that_ended_within_a_day_are_told_by_status() -> None:
    drained(FakeFetch())
    drained(FakeFetch())
    given = targets(2)
    drained(FakeFetch(fail=[given[0].url]), given)
    old = drained(FakeFetch())
    change(old, finished_at=timezone.now() - timedelta(hours=25))
    found = scraped()
    ended = {status: found["batch_jobs_ended_day", status] for status in ("done", "partial")}
    assert ended == {"done": 2, "partial": 1}
    assert found["batch_jobs_ended_day", "failed"] == 0


def test_of_many_jobs_as_many_are_counted_as_the_limit_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("batch.health.MOST_WAITING", 2)
    monkeypatch.setattr("batch.metrics.rows.MOST_ENDED", 1)
    for _ in range(3):
        submit()
        drained(FakeFetch())
    found = scraped()
    assert found["batch_jobs_waiting",] == 2
    assert found["batch_jobs_ended_day", "done"] == 1


def test_the_host_decides_who_reads_the_page() -> None:
    client = Client()
    assert client.get("/guarded/").status_code == 302
    client.force_login(User.objects.create_user("staff", is_staff=True))
    assert client.get("/guarded/").status_code == 200
    assert client.post("/metrics/").status_code == 405


def test_the_page_is_outside_of_the_transactions_of_every_database() -> None:
    assert metrics._non_atomic_requests == set(connections)  # type: ignore[attr-defined]


@pytest.mark.parametrize("error", [OperationalError("gone"), ProgrammingError("no table")])
def test_without_a_database_a_scrape_fails_and_says_no_more(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*args: Any) -> None:
        raise error

    with connection.execute_wrapper(refuse):
        answer = Client().get("/metrics/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (
        503,
        "text/plain; charset=utf-8",
    )
    assert str(error) not in answer.content.decode()
    assert "database_away" in [record.getMessage() for record in caplog.records]


@pytest.mark.django_db(transaction=True)
def test_a_worker_serves_what_happens_in_it(processes: Processes, tmp_path: Any) -> None:
    records = Records(tmp_path)
    with listen(0) as free:
        port = free.getsockname()[1]
    worker = start(processes, "--metrics-port", str(port))
    records.submit(3)
    eventually(all_terminal, 30)

    def read() -> Samples | None:
        with suppress(URLError), urlopen(f"http://{HOST}:{port}/metrics", timeout=10) as answer:
            found = samples(answer.read().decode())
            return found if found.get(("batch_jobs_total", "done")) == 1 else None
        return None

    found = eventually(read, 30)
    assert found["batch_targets_total", "", "done"] == 3
    assert found["batch_target_seconds_count", "done"] == 3
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0


@pytest.mark.parametrize("port", ["0", "65536", "-1"])
def test_a_worker_refuses_what_is_no_port(port: str) -> None:
    line = refused("batch_worker", f"--metrics-port={port}", code=1)
    assert "--metrics-port has to be from 1 to 65535" in line


def test_a_worker_without_the_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_worker, "find_spec", lambda name: None)
    assert "extra metrics" in refused("batch_worker", "--metrics-port=9100", code=1)


def test_every_metric_is_documented() -> None:
    told = {name: kind for name, kind, *_ in rows(section("docs/operations.md", "Metrics"))}
    here = {family.name: family.type for family in Rows().collect()}
    for each in vars(events).values():
        if not isinstance(each, MetricWrapperBase):
            continue
        (family,) = each.collect()
        here[family.name + "_total" * (family.type == "counter")] = family.type
    assert told == here
