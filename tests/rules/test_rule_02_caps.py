"""Rule 2: how much may be submitted, counted before anything is stored."""

from datetime import timedelta
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext

from batch.errors import CallerBusyError, JobsBusyError, TooManyTargetsError
from batch.models import BatchGate, BatchJob, BatchTarget
from batch.runner import Runner
from batch.types import Config
from tests.connection import connection
from tests.rules.jobs import HOUR, ROOMY, change, claim, lapse, row, submit, targets, terminal

pytestmark = pytest.mark.django_db


def test_more_targets_than_a_job_may_have_are_too_many() -> None:
    with pytest.raises(TooManyTargetsError, match=r"^too many targets") as caught:
        Runner().submit("ann", "", targets(33))
    assert (caught.value.limit, caught.value.count) == (32, 33)
    assert "33" in str(caught.value)
    assert "32" in str(caught.value)


def test_exactly_as_many_targets_as_a_job_may_have_are_taken() -> None:
    assert row(Runner().submit("ann", "", targets(32)).id).targets_total == 32


def test_a_caller_with_a_live_job_is_busy_and_told_which() -> None:
    job_id = Runner().submit("ann", "", targets()).id
    with pytest.raises(CallerBusyError, match=r"^busy") as caught:
        Runner().submit("ann", "", targets())
    assert caught.value.job_id == job_id


def test_other_callers_are_not_busy() -> None:
    Runner().submit("ann", "", targets())
    assert not Runner().submit("bob", "", targets()).reused


def test_eight_live_jobs_are_all_that_the_host_has() -> None:
    for i in range(8):
        Runner().submit(f"caller {i}", "", targets())
    with pytest.raises(JobsBusyError, match=r"^jobs busy"):
        Runner().submit("the ninth", "", targets())
    assert BatchJob.objects.count() == 8


def test_the_caps_are_asked_in_their_order() -> None:
    runner = Runner(config=Config(targets_per_job=1, jobs_per_caller=1, jobs_total=1))
    runner.submit("ann", "", targets())
    with pytest.raises(TooManyTargetsError):
        runner.submit("ann", "", targets(2))
    with pytest.raises(CallerBusyError):
        runner.submit("ann", "", targets())
    with pytest.raises(JobsBusyError):
        runner.submit("bob", "", targets())


def test_a_refusal_stores_nothing() -> None:
    runner = Runner(config=Config(targets_per_job=1))
    runner.submit("ann", "", targets())
    for given in (targets(2), targets(1)):
        with pytest.raises((TooManyTargetsError, CallerBusyError)):
            runner.submit("ann", "", given)
    assert (BatchJob.objects.count(), BatchTarget.objects.count()) == (1, 1)


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_a_job_that_ended_takes_no_room(status: str) -> None:
    terminal(status)
    assert Runner(config=Config(jobs_total=1)).submit("ann", "", targets())


def test_a_cancelled_job_in_hand_takes_no_room() -> None:
    job_id = submit()
    claim(job_id)
    Runner().cancel(job_id)
    assert not Runner(config=Config(jobs_total=1)).submit("ann", "", targets()).reused


def test_a_live_job_takes_room_whatever_its_lease_says() -> None:
    lapse(submit())
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())
    with pytest.raises(JobsBusyError):
        Runner(config=Config(jobs_total=1)).submit("bob", "", targets())


def test_a_queued_row_takes_room() -> None:
    change(submit(), status="queued")
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())


def test_a_class_may_raise_and_lower_each_cap(settings: Any) -> None:
    settings.BATCH = {
        "TARGETS_PER_JOB": 2,
        "CLASSES": {
            "staff": {"TARGETS_PER_JOB": 3, "JOBS_PER_CALLER": 2},
            "trial": {"TARGETS_PER_JOB": 1, "JOBS_TOTAL": 1},
        },
    }
    runner = Runner()
    runner.submit("ann", "staff", targets(3))
    runner.submit("ann", "staff", targets(3))
    with pytest.raises(CallerBusyError):
        runner.submit("ann", "staff", targets())
    with pytest.raises(TooManyTargetsError):
        runner.submit("tom", "trial", targets(2))
    with pytest.raises(TooManyTargetsError):
        runner.submit("bob", "", targets(3))
    runner.submit("bob", "", targets(2))


def test_a_class_changes_the_number_and_not_what_is_counted(settings: Any) -> None:
    settings.BATCH = {"CLASSES": {"trial": {"JOBS_TOTAL": 2}, "staff": {"JOBS_TOTAL": 4}}}
    for i in range(2):
        Runner().submit(f"caller {i}", "", targets())
    with pytest.raises(JobsBusyError):
        Runner().submit("tom", "trial", targets())
    Runner().submit("ann", "staff", targets())


def test_jobs_of_a_caller_count_in_whatever_class_they_were_submitted(settings: Any) -> None:
    settings.BATCH = {"CLASSES": {"staff": {"JOBS_PER_CALLER": 2}}}
    Runner().submit("ann", "staff", targets())
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())


def test_the_runner_wins_over_the_class_and_the_class_over_the_setting(settings: Any) -> None:
    settings.BATCH = {"TARGETS_PER_JOB": 5, "CLASSES": {"staff": {"TARGETS_PER_JOB": 2}}}
    with pytest.raises(TooManyTargetsError) as caught:
        Runner().submit("ann", "staff", targets(3))
    assert caught.value.limit == 2
    Runner(config=Config(targets_per_job=3)).submit("ann", "staff", targets(3))
    Runner(config=Config(targets_per_job=None)).submit("bob", "", targets(5))


def test_a_dead_workers_job_locks_nobody_out() -> None:
    dead = submit()
    claim(dead, hold=-HOUR)
    assert not Runner(config=Config(jobs_total=1)).submit("ann", "", targets()).reused
    assert (row(dead).status, row(dead).error) == ("failed", "restart")


@pytest.mark.parametrize("again", [False, True])
def test_whoever_makes_room_gives_the_failed_job_its_own_ttl(again: bool) -> None:
    runner = Runner(config=Config(ttl=1000, jobs_total=1))
    ended, dead = terminal("failed"), submit()
    claim(dead, hold=-HOUR)
    assert runner.retry(ended) if again else runner.submit("ann", "", targets())
    job = row(dead)
    assert job.finished_at is not None
    assert job.lease_expires_at - job.finished_at == timedelta(seconds=1000)


def test_a_dead_workers_job_does_not_stand_in_the_way_of_a_retry() -> None:
    ended = terminal("failed")
    dead = submit()
    claim(dead, hold=-HOUR)
    assert Runner(config=Config(jobs_total=1)).retry(ended).id
    assert row(dead).status == "failed"


def test_a_submit_with_room_leaves_dead_jobs_to_the_workers() -> None:
    dead = submit()
    claim(dead, hold=-HOUR)
    Runner().submit("bob", "", targets())
    assert row(dead).status == "running"


def test_a_job_in_living_hands_is_not_failed_to_make_room() -> None:
    job_id = submit()
    claim(job_id)
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())
    assert row(job_id).status == "running"


def test_a_retry_is_refused_where_a_submit_would_be() -> None:
    ended = terminal("failed")
    with pytest.raises(TooManyTargetsError):
        Runner(config=Config(targets_per_job=1)).retry(ended)
    busy = Runner().submit("ann", "", targets()).id
    with pytest.raises(CallerBusyError) as caught:
        Runner().retry(ended)
    assert caught.value.job_id == busy
    with pytest.raises(JobsBusyError):
        Runner(config=Config(jobs_per_caller=2, jobs_total=1)).retry(ended)


def test_a_gate_row_that_a_flush_removed_is_made_again() -> None:
    BatchGate.objects.all().delete()
    submit()
    submit(caller="bob")
    assert BatchGate.objects.get().id == 1


def test_each_fresh_submit_is_counted_at_the_gate() -> None:
    submit()
    before = BatchGate.objects.get().submits
    submit()
    submit()
    assert BatchGate.objects.get().submits == before + 2


@pytest.mark.django_db(transaction=True)
def test_the_gate_is_written_and_locked_before_anything_is_counted() -> None:
    submit()
    with CaptureQueriesContext(connection) as captured:
        Runner(config=ROOMY).submit("ann", "", targets())
    statements = [query["sql"] for query in captured if query["sql"]]
    begin = next(i for i, sql in enumerate(statements) if sql.startswith("UPDATE"))
    assert "batch_batchgate" in statements[begin]
    within = [sql for sql in statements[begin:] if "batch_" in sql]
    if connection.features.has_select_for_update:
        assert within[1].endswith("FOR UPDATE"), within
    locked = 2 if connection.features.has_select_for_update else 1
    assert not any("COUNT" in sql for sql in within[:locked])
    assert any("COUNT" in sql for sql in within[locked:])
    assert not any("COUNT" in sql and "FOR UPDATE" in sql for sql in within)
