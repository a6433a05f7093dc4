"""Rule 4: one target at a time, in order, each outcome committed before the next begins."""

import threading
from typing import Any

import pytest
from django.db import connections

from batch.models import BatchTarget
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Options, Result, Target
from tests.concurrency import eventually
from tests.connection import connection
from tests.rules.jobs import (
    ROOMY,
    content,
    drained,
    row,
    rows,
    states,
    submit,
    targets,
)
from tests.rules.workers import working

pytestmark = pytest.mark.django_db


def test_targets_are_fetched_in_their_order_one_at_a_time() -> None:
    fetch = FakeFetch(seconds=0.002)
    given = targets(12)
    drained(fetch, given)
    assert fetch.urls == [target.url for target in given]
    assert fetch.peak == 1


def test_order_is_that_of_the_list_and_not_of_the_rows() -> None:
    fetch = FakeFetch()
    given = targets(5)
    runner = Runner(fetch, ROOMY)
    job_id = runner.submit("ann", "", given).id
    # What a database gives without an ORDER BY is often the order of the inserts.
    first = BatchTarget.objects.get(job_id=job_id, idx=0)
    first.delete()
    first.pk = None
    first.save(force_insert=True)
    assert runner.drain(job_id)
    assert fetch.urls == [target.url for target in given]


def test_the_fetch_is_told_for_whom_and_for_what_it_works() -> None:
    fetch = FakeFetch()
    options = Options(mode="text", question="q", pages="1", grep="g", jq=".", context=True)
    runner = Runner(fetch, ROOMY)
    given = [Target("https://e.com/1", options), Target("https://e.com/2")]
    job_id = runner.submit("user:7", "staff", given).id
    runner.drain(job_id)
    assert [target for _, target in fetch.calls] == given
    for idx, (context, _) in enumerate(fetch.calls):
        assert (context.job_id, context.idx) == (job_id, idx)
        assert (context.caller, context.caller_class) == ("user:7", "staff")
        assert context.deadline is not None
        assert context.deadline.tzinfo is not None


def test_the_same_url_twice_is_fetched_twice() -> None:
    fetch = FakeFetch()
    job_id = drained(fetch, [Target("https://e.com/"), Target("https://e.com/")])
    assert fetch.urls == ["https://e.com/"] * 2
    assert states(job_id) == ["done", "done"]


def test_a_failed_target_does_not_stop_the_job() -> None:
    given = targets(4)
    fetch = FakeFetch(fail=[given[0].url, given[2].url])
    job_id = drained(fetch, given)
    assert states(job_id) == ["failed", "done", "failed", "done"]
    assert len(fetch.calls) == 4


def test_more_targets_than_are_read_at_once_are_all_drained_in_order() -> None:
    fetch = FakeFetch()
    given = targets(205)
    job_id = drained(fetch, given)
    assert fetch.urls == [target.url for target in given]
    assert row(job_id).targets_done == 205


@pytest.mark.django_db(transaction=True)
def test_an_outcome_is_committed_before_the_next_target_begins() -> None:
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(list(BatchTarget.objects.order_by("idx").values_list("status", flat=True)))
        connections.close_all()

    def fetch(context: FetchContext, target: Target) -> Result:
        # A thread has a connection of its own, which sees only what is committed.
        looker = threading.Thread(target=look)
        looker.start()
        looker.join()
        return Result("content")

    drained(fetch, 3)
    assert seen == [
        ["running", "pending", "pending"],
        ["done", "running", "pending"],
        ["done", "done", "running"],
    ]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_a_target_is_fetched() -> None:
    open_ones: list[bool] = []

    def fetch(context: FetchContext, target: Target) -> Result:
        open_ones.append(connection.in_atomic_block or not connection.get_autocommit())
        return Result("content")

    drained(fetch, 3)
    assert open_ones == [False] * 3


def test_times_of_a_target_are_kept_and_follow_each_other() -> None:
    job_id = drained(FakeFetch(seconds=0.01), 3)
    moments = []
    for target in rows(job_id):
        moments += [target.started_at, target.finished_at]
    assert moments == sorted(moments)
    assert row(job_id).finished_at == moments[-1]
    assert row(job_id).started_at == moments[0]


@pytest.mark.django_db(transaction=True)
def test_several_jobs_are_drained_side_by_side_and_each_is_serial(settings: Any) -> None:
    settings.BATCH = {"ISOLATION": "thread"}
    running: dict[str, int] = {}
    peaks: list[tuple[int, int]] = []
    lock = threading.Lock()
    together = threading.Barrier(3)

    def fetch(context: FetchContext, target: Target) -> Result:
        with lock:
            running[context.job_id] = running.get(context.job_id, 0) + 1
            peaks.append((max(running.values()), sum(running.values())))
        together.wait(10)  # passed only when three jobs fetch at once
        with lock:
            running[context.job_id] -= 1
        return Result("content")

    ids = [submit(4) for _ in range(3)]
    with working(fetch, slots=3):
        eventually(lambda: all(row(job_id).status == "done" for job_id in ids))
    assert max(own for own, _ in peaks) == 1
    assert max(total for _, total in peaks) == 3


@pytest.mark.django_db(transaction=True)
def test_a_worker_has_no_more_jobs_in_hand_than_slots(settings: Any) -> None:
    settings.BATCH = {"ISOLATION": "thread"}
    fetch = FakeFetch(seconds=0.02)
    ids = [submit(3) for _ in range(5)]
    with working(fetch, slots=2):
        eventually(lambda: all(row(job_id).status == "done" for job_id in ids))
    assert fetch.peak <= 2


@pytest.mark.django_db(transaction=True)
def test_a_worker_takes_jobs_in_the_order_they_came(settings: Any) -> None:
    settings.BATCH = {"ISOLATION": "thread"}
    fetch = FakeFetch()
    ids = [submit(2) for _ in range(4)]
    with working(fetch, slots=1):
        eventually(lambda: all(row(job_id).status == "done" for job_id in ids))
    assert [context.job_id for context, _ in fetch.calls] == [i for i in ids for _ in range(2)]


def test_drain_says_no_to_a_job_that_is_unknown_taken_or_ended(caplog: Any) -> None:
    runner = Runner(content, ROOMY)
    job_id = drained(content)
    taken = submit()
    assert Runner(content).drain(taken) is True
    assert runner.drain(job_id) is False
    assert runner.drain("00000000-0000-7000-8000-000000000000") is False
    assert runner.drain("nonsense\0") is False
    assert [record.getMessage() for record in caplog.records].count("not_drained") == 3


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_a_fetch_began_by_hand_keeps_no_outcome(settings: Any) -> None:
    settings.BATCH = {"ISOLATION": "thread"}

    def fetch(context: FetchContext, target: Target) -> Result:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
        return Result("content")

    job_id = submit(3)
    with working(fetch):
        eventually(lambda: row(job_id).status == "done")
    assert states(job_id) == ["done"] * 3
