"""Rule 5: each stored outcome, and each end of a job, moves the job's one lease."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from batch.moves.end import cut_off
from batch.runner import Runner
from batch.types import Config, FetchContext, Result, Target
from tests.databases import ALIAS
from tests.rules.jobs import HOUR, ROOMY, change, claim, lapse, row, store, submit, targets

pytestmark = pytest.mark.django_db


def about_now_and(ttl: timedelta, moment: datetime) -> bool:
    return abs(timezone.now() + ttl - moment) < timedelta(seconds=30)


@pytest.mark.parametrize("content", ["content", None])
def test_a_stored_outcome_moves_the_lease(content: str | None) -> None:
    job_id = submit(2)
    taken = claim(job_id)
    lapse(job_id)
    store(taken, 0, content)
    job = row(job_id)
    assert job.lease_expires_at == job.targets.get(idx=0).finished_at + HOUR
    assert about_now_and(HOUR, job.lease_expires_at)


def test_each_outcome_moves_it_again_and_all_targets_share_it() -> None:
    leases: list[datetime] = []

    def fetch(context: FetchContext, target: Target) -> Result:
        leases.append(row(context.job_id).lease_expires_at)
        return Result("content")

    runner = Runner(fetch, Config(targets_per_job=9, ttl=500))
    job_id = runner.submit("ann", "", targets(4)).id
    runner.drain(job_id)
    leases.append(row(job_id).lease_expires_at)
    assert leases == sorted(set(leases))
    assert row(job_id).lease_expires_at == row(job_id).finished_at + timedelta(seconds=500)


@pytest.mark.parametrize("ttl", [500, 500.0, timedelta(seconds=500)])
def test_the_ttl_is_seconds_or_a_timedelta(settings: Any, ttl: Any) -> None:
    runner = Runner(config=Config(ttl=ttl))
    job = row(runner.submit("ann", "", targets()).id)
    assert job.lease_expires_at - job.created_at == timedelta(seconds=500)
    settings.BATCH = {"TTL_SECONDS": ttl}
    job = row(Runner().submit("bob", "", targets()).id)
    assert job.lease_expires_at - job.created_at == timedelta(seconds=500)


def test_the_default_is_a_day() -> None:
    job = row(Runner().submit("ann", "", targets()).id)
    assert job.lease_expires_at - job.created_at == timedelta(days=1)


def cancelled(job_id: str) -> None:
    assert Runner(config=Config(ttl=HOUR)).cancel(job_id)


def reaped(job_id: str) -> None:
    claim(job_id, hold=-HOUR)
    assert Runner(config=Config(ttl=HOUR)).mark_in_flight_failed("restart") == 1


def reaped_queued(job_id: str) -> None:
    change(job_id, status="queued", created_at=timezone.now() - HOUR)
    assert Runner(config=Config(ttl=HOUR)).mark_in_flight_failed("restart") == 1


def given_up(job_id: str) -> None:
    assert cut_off(claim(job_id), "restart", "restart", HOUR, ALIAS)


@pytest.mark.parametrize("end", [cancelled, reaped, reaped_queued, given_up])
def test_every_move_that_ends_a_job_moves_the_lease(end: Callable[[str], None]) -> None:
    job_id = submit()
    lapse(job_id)
    end(job_id)
    job = row(job_id)
    assert job.finished_at is not None
    assert about_now_and(HOUR, job.lease_expires_at)


def test_a_reuse_does_not_move_it() -> None:
    given = targets()
    runner = Runner(config=ROOMY)
    job_id = runner.submit("ann", "", given).id
    soon = timezone.now() + timedelta(minutes=1)
    change(job_id, lease_expires_at=soon)
    assert runner.submit("ann", "", given).reused
    assert row(job_id).lease_expires_at == soon


def test_a_second_cancel_does_not_move_it() -> None:
    job_id = submit()
    Runner().cancel(job_id)
    before = row(job_id).lease_expires_at
    assert not Runner().cancel(job_id)
    assert row(job_id).lease_expires_at == before


def test_the_outcome_stored_after_a_cancel_moves_it() -> None:
    job_id = submit(2)
    taken = claim(job_id)
    Runner().cancel(job_id)
    lapse(job_id)
    store(taken, 0)
    assert about_now_and(HOUR, row(job_id).lease_expires_at)


def test_results_stay_readable_after_the_lease_until_the_purge() -> None:
    job_id = submit()
    store(claim(job_id), 0)
    lapse(job_id)
    found = Runner().status(job_id)
    assert found is not None
    assert found[1][0].result == Result("content", {})
    assert Runner().purge() == 1
    assert Runner().status(job_id) is None
