"""Rule 8: a job whose worker died is failed, never resumed; a living worker's is left alone."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from batch import database
from batch.errors import CallerBusyError
from batch.models import BatchJob, BatchTarget, BatchWorker
from batch.moves.claim import renew
from batch.moves.end import cut_off
from batch.moves.record import Next
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.concurrency import run_threads
from tests.databases import ALIAS
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    change,
    claim,
    row,
    rows,
    states,
    store,
    submit,
    targets,
    terminal,
)

pytestmark = pytest.mark.django_db


def in_flight(hold: timedelta = -HOUR, count: int = 3) -> str:
    """A job with one stored outcome and one target in flight; its claim ran out."""
    job_id = submit(count)
    store(claim(job_id, hold), 0)
    return job_id


def test_a_job_whose_worker_died_is_failed_with_the_reason() -> None:
    job_id = in_flight()
    assert Runner().mark_in_flight_failed("restart") == 1
    job = row(job_id)
    assert (job.status, job.error) == ("failed", "restart")
    assert job.finished_at is not None
    assert (job.worker, job.claim_expires_at) == ("", None)


def test_its_target_in_flight_is_failed_with_the_same_words() -> None:
    job_id = in_flight()
    Runner().mark_in_flight_failed("the power went")
    target = rows(job_id)[1]
    assert (target.status, target.error, target.code) == ("failed", "the power went", "restart")
    assert target.hint
    assert target.finished_at == row(job_id).finished_at
    assert (row(job_id).targets_done, row(job_id).targets_failed) == (2, 1)


def test_what_was_stored_stays_and_what_was_not_begun_stays_pending() -> None:
    job_id = in_flight()
    Runner().mark_in_flight_failed("restart")
    assert states(job_id) == ["done", "failed", "pending"]
    found = Runner().status(job_id)
    assert found is not None
    assert found[1][0].result is not None
    assert found[1][0].result.content == "content"


def test_it_is_never_begun_again() -> None:
    job_id = in_flight()
    Runner().mark_in_flight_failed("restart")
    fetch = FakeFetch()
    assert Runner(fetch).drain(job_id) is False
    assert not fetch.calls


def test_a_job_is_failed_once() -> None:
    job_id = in_flight()
    assert Runner().mark_in_flight_failed("restart") == 1
    before = BatchJob.objects.values().get(id=job_id)
    assert Runner().mark_in_flight_failed("again") == 0
    assert BatchJob.objects.values().get(id=job_id) == before


def test_a_job_whose_worker_lives_is_left_alone() -> None:
    job_id = in_flight(HOUR)
    before = BatchJob.objects.values().get(id=job_id)
    assert Runner().mark_in_flight_failed("restart") == 0
    assert BatchJob.objects.values().get(id=job_id) == before
    assert states(job_id) == ["done", "running", "pending"]


def test_a_job_that_waits_for_its_first_worker_is_left_alone_however_old() -> None:
    job_id = submit()
    change(job_id, created_at=timezone.now() - 1000 * HOUR)
    assert Runner().mark_in_flight_failed("restart") == 0
    assert Runner().mark_in_flight_failed("restart", sole=True) == 0
    assert Runner(FakeFetch()).drain(job_id)


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
@pytest.mark.parametrize("sole", [False, True])
def test_a_job_that_ended_is_left_alone(status: str, sole: bool) -> None:
    job_id = terminal(status)
    before = BatchJob.objects.values().get(id=job_id)
    later = timezone.now() + 1000 * HOUR
    assert Runner().mark_in_flight_failed("restart", now=later, sole=sole) == 0
    assert BatchJob.objects.values().get(id=job_id) == before


def test_another_now_may_be_given() -> None:
    job_id = in_flight(HOUR)
    edge = row(job_id).claim_expires_at
    assert edge is not None
    assert Runner().mark_in_flight_failed("restart", now=edge - timedelta(seconds=1)) == 0
    assert Runner().mark_in_flight_failed("restart", now=edge) == 0
    assert Runner().mark_in_flight_failed("restart", now=edge + timedelta(seconds=1)) == 1


def test_the_sole_worker_fails_every_claimed_job_at_once() -> None:
    claimed, waiting = in_flight(HOUR), submit()
    assert Runner().mark_in_flight_failed("restart", sole=True) == 1
    assert row(claimed).status == "failed"
    assert row(waiting).status == "running"


def test_many_are_failed_in_one_call_and_counted() -> None:
    dead = [in_flight() for _ in range(5)]
    living = in_flight(HOUR)
    assert Runner().mark_in_flight_failed("restart") == 5
    assert {row(job_id).status for job_id in dead} == {"failed"}
    assert row(living).status == "running"


def test_a_queued_row_is_failed_when_it_is_older_than_a_claim_lasts(settings: Any) -> None:
    settings.BATCH = {"CLAIM_SECONDS": 100}
    job_id = submit(2)
    now = database.now(ALIAS)
    change(job_id, status="queued", created_at=now - timedelta(seconds=60))
    assert Runner().mark_in_flight_failed("restart") == 0
    change(job_id, created_at=now - timedelta(seconds=140))
    assert Runner().mark_in_flight_failed("restart") == 1
    assert (row(job_id).status, row(job_id).error) == ("failed", "restart")
    assert states(job_id) == ["pending"] * 2


def test_failing_a_job_raises_its_claim_number_so_that_its_worker_writes_nothing_more() -> None:
    job_id = submit(3)
    taken = claim(job_id, -HOUR)
    store(taken, 0)
    Runner().mark_in_flight_failed("restart")
    before = (BatchJob.objects.values().get(), list(BatchTarget.objects.order_by("idx").values()))
    assert before[0]["claim"] > taken.number
    assert store(taken, 1) is Next.LOST
    assert renew([taken.job_id], "host:1:aa", timezone.now(), HOUR, ALIAS) == 0
    assert not cut_off(taken, "late", "internal", HOUR, ALIAS)
    after = (BatchJob.objects.values().get(), list(BatchTarget.objects.order_by("idx").values()))
    assert after == before


def test_a_claim_that_ran_out_but_was_not_taken_may_be_renewed() -> None:
    job_id = submit(2)
    taken = claim(job_id, -HOUR)
    assert renew([taken.job_id], "host:1:aa", timezone.now(), HOUR, ALIAS) == 1
    assert Runner().mark_in_flight_failed("restart") == 0
    assert store(taken, 0) is Next.GO_ON


def test_only_its_own_worker_renews_a_claim() -> None:
    taken = claim(submit(2), -HOUR)
    assert renew([taken.job_id], "host:2:bb", timezone.now(), HOUR, ALIAS) == 0


def test_a_drain_goes_on_under_a_claim_that_ran_out_but_was_not_taken() -> None:
    job_id = submit(1)
    taken = claim(job_id, -HOUR)
    assert store(taken, 0) is Next.ENDED
    assert row(job_id).status == "done"


def test_a_cancelled_job_whose_worker_died_stays_cancelled() -> None:
    job_id = in_flight()
    Runner().cancel(job_id)
    finished = row(job_id).finished_at
    assert Runner().mark_in_flight_failed("restart") == 1
    job = row(job_id)
    assert (job.status, job.error, job.finished_at) == ("cancelled", "", finished)
    assert (job.worker, job.claim_expires_at) == ("", None)
    assert states(job_id) == ["done", "failed", "pending"]
    assert (rows(job_id)[1].error, rows(job_id)[1].code) == ("restart", "restart")
    assert (job.targets_done, job.targets_failed) == (2, 1)


def test_a_failed_job_frees_its_callers_place() -> None:
    dead = in_flight(HOUR)
    with pytest.raises(CallerBusyError):
        Runner().submit("ann", "", targets())
    change(dead, claim_expires_at=timezone.now() - HOUR)
    Runner().mark_in_flight_failed("restart")
    assert not Runner().submit("ann", "", targets()).reused


def test_what_a_restart_left_can_be_retried() -> None:
    job_id = in_flight()
    Runner().mark_in_flight_failed("restart")
    again = Runner(config=ROOMY).retry(job_id).id
    assert [target.url for target in rows(again)] == [target.url for target in rows(job_id)[1:]]


def test_a_reason_of_any_text_can_be_stored() -> None:
    job_id = in_flight()
    assert Runner().mark_in_flight_failed("it died\0 of \ud800") == 1
    assert row(job_id).error == "it died\ufffd of \ufffd"
    assert rows(job_id)[1].error == row(job_id).error


def test_no_row_of_a_worker_is_needed_to_fail_its_job() -> None:
    assert not BatchWorker.objects.exists()
    in_flight()
    assert Runner().mark_in_flight_failed("restart") == 1


def test_a_claim_is_compared_with_the_clock_of_the_database() -> None:
    job_id = submit()
    taken = claim(job_id, timedelta(seconds=30))
    now = database.now(ALIAS)
    assert abs(taken.claimed_at - now) < timedelta(seconds=10)
    assert Runner().mark_in_flight_failed("restart", now=now + timedelta(seconds=29)) == 0


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_drained_here_stays_in_hand_however_long_a_target_takes(
    settings: Any,
) -> None:
    settings.BATCH = {"CLAIM_SECONDS": 1, "TARGET_TIMEOUT_SECONDS": 1}
    job_id = submit(1)
    reaped: list[int] = []

    def fetch(context: FetchContext, target: Target) -> Result:
        for _ in range(6):
            time.sleep(0.5)
            run_threads(1, lambda _: reaped.append(Runner().mark_in_flight_failed("restart")))
        return Result("content")

    assert Runner(fetch).drain(job_id)
    assert reaped == [0] * 6
    assert row(job_id).status == "done"
