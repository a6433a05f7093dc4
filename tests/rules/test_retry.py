"""Retry: a new job with what the old one left undone."""

from typing import Any

import pytest

from batch.errors import JobLiveError, NothingToRetryError, UnknownJobError
from batch.models import BatchJob
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Options, Target
from tests.rules.jobs import ROOMY, claim, drained, lapse, row, rows, submit, targets, terminal
from tests.rules.test_rule_06_cancel import ODD_IDS

pytestmark = pytest.mark.django_db
RUNNER = Runner(config=ROOMY)


def test_a_retry_has_the_failed_and_the_pending_targets_in_their_order() -> None:
    given = [
        Target(f"https://e.com/{i}", Options(mode="text", pages=str(i), context=bool(i % 2)))
        for i in range(5)
    ]
    job_id = drained(FakeFetch(fail=[given[1].url, given[4].url]), given)
    again = RUNNER.retry(job_id)
    assert not again.reused
    assert [(target.url, target.options) for target in rows(again.id)] == [
        (given[i].url, given[i].options.given()) for i in (1, 4)
    ]
    assert [target.idx for target in rows(again.id)] == [0, 1]


def test_pending_targets_of_a_cancelled_job_are_retried() -> None:
    job_id = submit(3)
    Runner().cancel(job_id)
    again = RUNNER.retry(job_id).id
    assert [target.url for target in rows(again)] == [target.url for target in rows(job_id)]


def test_a_retry_keeps_caller_and_class_and_is_a_job_like_any_other() -> None:
    job_id = submit(2, caller="user:7", caller_class="staff")
    Runner().cancel(job_id)
    again = row(RUNNER.retry(job_id).id)
    assert (again.caller, again.caller_class) == ("user:7", "staff")
    assert (again.status, again.claim, again.targets_total) == ("running", 0, 2)
    assert Runner(FakeFetch()).drain(str(again.id))


def test_a_retry_passes_the_idempotency_check_by() -> None:
    job_id = terminal("failed")
    first, second = RUNNER.retry(job_id).id, RUNNER.retry(job_id).id
    assert len({job_id, first, second}) == 3


def test_a_retry_is_what_the_same_submission_then_finds() -> None:
    given = targets(2)
    runner = Runner(FakeFetch(fail=[target.url for target in given]), ROOMY)
    job_id = runner.submit("ann", "", given).id
    runner.drain(job_id)
    again = runner.retry(job_id).id
    assert runner.submit("ann", "", given).id == again


def test_the_old_job_is_left_as_it_is() -> None:
    job_id = terminal("partial")
    before = (BatchJob.objects.values().get(), [target.status for target in rows(job_id)])
    RUNNER.retry(job_id)
    after = BatchJob.objects.values().get(id=job_id)
    assert (after, [target.status for target in rows(job_id)]) == before


def test_a_job_whose_lease_lapsed_can_be_retried_until_it_is_purged() -> None:
    job_id = terminal("failed")
    lapse(job_id)
    assert RUNNER.retry(job_id).id


@pytest.mark.parametrize("taken", [False, True])
def test_a_live_job_cannot_be_retried(taken: bool) -> None:
    job_id = submit()
    if taken:
        claim(job_id)
    with pytest.raises(JobLiveError, match=r"^job live"):
        RUNNER.retry(job_id)
    assert BatchJob.objects.count() == 1


def test_a_job_of_which_all_is_done_cannot_be_retried() -> None:
    with pytest.raises(NothingToRetryError, match=r"^nothing to retry"):
        RUNNER.retry(terminal("done"))


@pytest.mark.parametrize("odd", ODD_IDS)
def test_an_id_that_is_none_is_unknown(odd: Any) -> None:
    with pytest.raises(UnknownJobError, match=r"^unknown job"):
        RUNNER.retry(odd)
    with pytest.raises(UnknownJobError, match=r"^unknown job"):
        Runner().delete(odd)


@pytest.mark.parametrize("spelling", [str.upper, lambda text: text.replace("-", "")])
def test_other_spellings_of_an_id_mean_the_same_job(spelling: Any) -> None:
    job_id = submit()
    found = Runner().status(spelling(job_id))
    assert found is not None
    assert found[0].id == job_id
