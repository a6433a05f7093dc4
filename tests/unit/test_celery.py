"""The tasks of Celery, called here; tests/celery has its workers and brokers."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery, current_app
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from batch.celery import drain, tend
from batch.models import BatchJob
from tests.rules.jobs import HOUR, change, claim, lapse, row, states, submit, terminal

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def eager(settings: Any) -> Iterator[None]:
    """Whatever is sent is run at once."""
    settings.BATCH = {
        "FETCH": "tests.rules.jobs.content",
        "ISOLATION": "thread",
        "CLAIM_SECONDS": 1,
    }
    app = Celery("eager")
    app.conf.task_always_eager = True
    yield
    app.close()


def long_ago(job_id: str) -> str:
    change(job_id, created_at=timezone.now() - HOUR)
    return job_id


def test_a_drain_takes_the_job_that_it_is_given() -> None:
    other, job_id = submit(), submit(2)
    drain.delay(job_id)
    assert (row(job_id).status, states(job_id)) == ("done", ["done", "done"])
    assert row(other).claim == 0


@pytest.mark.parametrize("job_id", ["0198c0de-0000-7000-8000-000000000000", "x"])
def test_a_message_about_a_job_that_is_gone_harms_nothing(job_id: str) -> None:
    drain(job_id)


def test_a_drain_without_a_fetch_function_is_refused_in_one_line(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = submit()
    settings.BATCH = {}
    with pytest.raises(ImproperlyConfigured, match="FETCH"):
        drain(job_id)
    (record,) = [record for record in caplog.records if record.name == "batch"]
    assert (record.message, record.exc_info) == ("drain_refused", None)
    assert row(job_id).claim == 0


def test_tending_fails_what_dead_workers_left_and_removes_what_lapsed() -> None:
    dead, alive, expired = submit(2), submit(2), terminal("done")
    claim(dead, -HOUR)
    claim(alive)
    change(expired, finished_at=timezone.now() - HOUR)
    lapse(expired)
    tend()
    assert (row(dead).status, row(dead).error) == ("failed", "restart")
    assert row(alive).status == "running"
    assert not BatchJob.objects.filter(id=expired).exists()


def test_tending_waits_for_a_drain_that_could_not_renew_its_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job_id = submit()
    claim(job_id, -HOUR)
    back = timezone.now() + HOUR
    monkeypatch.setattr(time, "sleep", lambda _: change(job_id, claim_expires_at=back))
    tend()
    assert row(job_id).status == "running"


def test_tending_sends_again_what_waits_longer_than_a_claim_and_nothing_else() -> None:
    waiting, fresh, taken, cancelled = (submit() for _ in range(4))
    for job_id in (waiting, taken, cancelled):
        long_ago(job_id)
    claim(taken)
    change(cancelled, status="cancelled", finished_at=timezone.now())
    tend()
    assert row(waiting).status == "done"
    assert [row(job_id).claim for job_id in (fresh, taken, cancelled)] == [0, 1, 0]


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_refuses_no_submit(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.BATCH = {"DISPATCH": "celery"}
    current_app.conf.update(task_always_eager=False, broker_url="redis://127.0.0.1:1/0")
    job_id = submit()
    assert (row(job_id).status, row(job_id).claim) == ("running", 0)
    (told,) = [record for record in caplog.records if record.getMessage() == "not_sent"]
    assert told.__dict__["job"] == job_id
    assert "127.0.0.1:1" in told.__dict__["error"]
    assert "Traceback" not in caplog.text
