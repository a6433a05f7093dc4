"""A drain that cannot be claims nothing, and odd rows hold up nobody else's."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import override_settings
from django.utils import timezone

from batch.errors import InvalidTargetsError
from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from batch.testing import drain_all
from tests.rules.jobs import content, row, submit, terminal

pytestmark = pytest.mark.django_db

closure: Any = (lambda: lambda context, target: None)()


def test_a_fetch_that_cannot_be_sent_to_a_child_leaves_the_job_waiting() -> None:
    job_id = submit()
    with pytest.raises(ImproperlyConfigured):
        Runner("tests.rules.test_drain_refusals.closure").drain(job_id)
    assert row(job_id).claim == 0


@pytest.mark.parametrize("job_id", ["0198c0de-0000-7000-8000-000000000000", "x", ""])
def test_an_unknown_job_is_false_also_where_no_fetch_is_named(job_id: str) -> None:
    assert not Runner().drain(job_id)


def test_a_terminal_job_is_false_also_where_no_fetch_is_named() -> None:
    assert not Runner().drain(terminal("done"))


def test_a_row_whose_counters_were_spoiled_is_reaped_like_any_other() -> None:
    past = timezone.now() - timedelta(hours=1)
    job = BatchJob.objects.create(
        caller="a", status="running", claim=1, worker="w", claim_expires_at=past
    )
    BatchTarget.objects.create(job=job, idx=0, url="https://e.com/", status="running")
    assert Runner().mark_in_flight_failed("restart") == 1
    assert row(str(job.id)).status == "failed"


@override_settings(BATCH={"FETCH": "tests.rules.jobs.content", "ISOLATION": "thread"})
def test_a_test_in_a_transaction_can_submit_and_drain_by_the_command() -> None:
    call_command("batch_submit", "https://e.com/", "--drain")
    assert BatchJob.objects.get().status == "done"
    assert drain_all() == 0


def test_a_job_whose_rows_do_not_fit_together_is_failed_and_not_left_in_hand() -> None:
    job = BatchJob.objects.create(caller="a", status="running")  # it says it has no targets
    BatchTarget.objects.create(job=job, idx=0, url="https://e.com/")
    assert Runner(content).drain(str(job.id))
    assert row(str(job.id)).status == "failed"


def test_a_claimed_row_without_an_expiry_is_failed_by_the_sole_worker() -> None:
    job = BatchJob.objects.create(caller="a", status="running", claim=1, worker="w")
    assert Runner().mark_in_flight_failed("restart", sole=True) == 1
    assert row(str(job.id)).status == "failed"


def test_a_row_that_says_nothing_of_its_lease_is_kept_as_long_as_a_submit() -> None:
    BatchJob.objects.create(caller="a", status="done", finished_at=timezone.now())
    assert Runner().purge() == 0


def test_a_retry_of_options_that_are_no_more_names_them() -> None:
    job = BatchJob.objects.create(
        caller="a", status="failed", finished_at=timezone.now(), targets_total=1
    )
    BatchTarget.objects.create(
        job=job, idx=0, url="https://e.com/", status="failed", options={"zz": 1}
    )
    with pytest.raises(InvalidTargetsError) as refused:
        Runner().retry(str(job.id))
    assert refused.value.problems[0].field == "zz"
