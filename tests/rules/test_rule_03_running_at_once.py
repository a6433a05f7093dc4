"""Rule 3: a submitted job is running when the submit returns, and waits for its worker."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from batch.errors import CallerBusyError
from batch.models import BatchJob, BatchTarget
from batch.moves.claim import claim_next
from batch.runner import Runner
from batch.types import Config
from tests.concurrency import eventually, run_threads
from tests.connection import connection
from tests.databases import ALIAS
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    away_from_here,
    change,
    claim,
    content,
    drained,
    rolled_back,
    row,
    rows,
    store,
    submit,
    targets,
)

pytestmark = pytest.mark.django_db
announced: list[str] = []


def announce(job_id: str) -> None:
    """What the setting DISPATCH names here."""
    announced.append(job_id)


def test_a_submitted_job_is_running_and_waits_for_its_worker() -> None:
    job = row(submit(3))
    assert (job.status, job.claim, job.worker) == ("running", 0, "")
    assert (job.started_at, job.finished_at, job.claim_expires_at) == (None, None, None)
    assert (job.targets_total, job.targets_done, job.targets_failed) == (3, 0, 0)
    assert [target.status for target in rows(str(job.id))] == ["pending"] * 3


def test_the_busy_check_right_after_a_submit_is_certain() -> None:
    Runner().submit("ann", "", targets())
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())


def test_the_lease_of_a_new_job_is_now_and_the_ttl(settings: Any) -> None:
    settings.BATCH = {"TTL_SECONDS": 1000}
    job = row(submit())
    assert job.lease_expires_at - job.created_at == timedelta(seconds=1000)
    assert abs(job.created_at - timezone.now()) < timedelta(seconds=30)


def test_a_new_job_has_the_columns_it_was_given() -> None:
    job = row(submit(caller="user:7", caller_class="staff"))
    assert (job.caller, job.caller_class, job.error) == ("user:7", "staff", "")


@pytest.mark.django_db(transaction=True)
def test_no_other_connection_ever_sees_a_queued_job() -> None:
    ended = threading.Event()

    def submit_or_look(i: int) -> set[str]:
        seen: set[str] = set()
        if i:
            try:
                for _ in range(25):
                    submit(3)
            finally:
                ended.set()
            return seen
        while not ended.is_set():
            seen.update(BatchJob.objects.values_list("status", flat=True))
        return seen

    seen, _ = run_threads(2, submit_or_look)
    assert seen <= {"running"}, seen
    assert BatchJob.objects.count() == 25


def test_the_oldest_waiting_job_is_taken_first_and_then_by_id() -> None:
    ids = [submit() for _ in range(5)]
    moment = timezone.now()
    ages = [1, 3, 2, 2, 2]
    for job_id, age in zip(ids, ages, strict=True):
        change(job_id, created_at=moment - age * HOUR)
    taken = [claim_next("w", HOUR, ALIAS) for _ in ids]
    same_age = sorted(ids[2:])
    assert [str(one.job_id) for one in taken if one] == [ids[1], *same_age, ids[0]]


@pytest.mark.parametrize("status", ["queued", "done", "failed", "partial", "cancelled"])
def test_only_a_running_job_can_be_taken(status: str) -> None:
    finished = None if status == "queued" else timezone.now()
    change(submit(), status=status, finished_at=finished)
    assert claim_next("w", HOUR, ALIAS) is None


def test_a_job_is_taken_once() -> None:
    job_id = submit()
    assert claim_next("w", HOUR, ALIAS) is not None
    assert claim_next("w", HOUR, ALIAS) is None
    # Not even when its claim ran out: it is failed then, and never begun again.
    change(job_id, claim_expires_at=timezone.now() - HOUR)
    assert claim_next("w", HOUR, ALIAS) is None


@pytest.mark.only_on("sqlite", "sqlite-default")
def test_a_row_whose_key_was_written_by_hand_holds_up_nobody() -> None:
    spoiled = BatchJob.objects.create(status="running", created_at=timezone.now() - HOUR)
    with connection.cursor() as cursor:
        # It is read as a UUID, and found by none.
        cursor.execute(
            "UPDATE batch_batchjob SET id = %s WHERE id = %s", [str(spoiled.id), spoiled.id.hex]
        )
    assert claim_next("w", HOUR, ALIAS) is None
    job_id = submit()
    taken = claim_next("w", HOUR, ALIAS)
    assert taken
    assert str(taken.job_id) == job_id


def test_taking_a_job_says_who_has_it_since_when_and_until_when() -> None:
    job_id = submit(2)
    taken = claim(job_id, worker="host:1:aa")
    job = row(job_id)
    assert (job.worker, job.claim) == ("host:1:aa", 1)
    assert job.started_at == taken.claimed_at
    assert job.claim_expires_at == taken.claimed_at + HOUR
    assert [target.status for target in rows(job_id)] == ["running", "pending"]
    assert rows(job_id)[0].started_at == taken.claimed_at


def test_the_last_write_of_a_drain_lets_go_of_the_job() -> None:
    job = row(drained(content, 2))
    assert (job.status, job.worker, job.claim_expires_at) == ("done", "", None)
    assert job.claim == 1


def test_a_drain_that_was_cancelled_lets_go_of_the_job() -> None:
    job_id = submit(3)
    taken = claim(job_id)
    Runner().cancel(job_id)
    assert row(job_id).worker == "host:1:aa"
    store(taken, 0)
    job = row(job_id)
    assert (job.status, job.worker, job.claim_expires_at) == ("cancelled", "", None)


@pytest.mark.django_db(transaction=True)
def test_a_submit_inside_the_callers_transaction_is_rolled_back_with_it(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    announced.clear()
    with rolled_back():
        job_id = submit(3)
        assert row(job_id).status == "running"
    assert (BatchJob.objects.count(), BatchTarget.objects.count()) == (0, 0)
    assert not announced


@pytest.mark.django_db(transaction=True)
def test_a_submit_inside_the_callers_transaction_is_told_of_at_its_commit(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    announced.clear()
    other = away_from_here()
    with transaction.atomic(using=ALIAS):
        job_id = submit()
        assert not announced
        with other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM batch_batchjob")
            assert cursor.fetchone() == (0,)
    other.close()
    assert announced == [job_id]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_inside_the_callers_transaction_leaves_it_usable() -> None:
    with transaction.atomic(using=ALIAS):
        first = Runner().submit("ann", "", targets()).id
        with pytest.raises(CallerBusyError):
            Runner().submit("ann", "", targets())
        second = Runner(config=ROOMY).submit("ann", "", targets()).id
    assert {str(job.id) for job in BatchJob.objects.all()} == {first, second}


@pytest.mark.django_db(transaction=True)
def test_a_reused_job_is_not_told_of_again(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    announced.clear()
    given = targets()
    first = Runner().submit("ann", "", given).id
    Runner().submit("ann", "", given)
    assert announced == [first]


@pytest.mark.django_db(transaction=True)
def test_with_dispatch_thread_the_job_is_drained_here_after_the_commit(settings: Any) -> None:
    settings.BATCH = {"DISPATCH": "thread", "ISOLATION": "thread"}
    runner = Runner(content, Config())
    before = threading.active_count()
    with transaction.atomic(using=ALIAS):
        job_id = runner.submit("ann", "", targets(3)).id
    eventually(lambda: row(job_id).status == "done")
    eventually(lambda: threading.active_count() <= before)


def test_who_loses_the_oldest_job_does_not_follow_the_winner_to_each_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs = [submit() for _ in range(6)]
    tried: list[str] = []

    def lose_all_but_the_last(facts: Any, *rest: Any) -> bool:
        tried.append(str(facts[0]))
        return len(tried) % len(jobs) == 0

    monkeypatch.setattr("batch.moves.claim._claim", lose_all_but_the_last)
    orders = set()
    for _ in range(10):
        tried.clear()
        assert claim_next("host:1:aa", HOUR, ALIAS)
        assert (tried[0], sorted(tried)) == (jobs[0], sorted(jobs))
        orders.add(tuple(tried))
    assert len(orders) > 1
