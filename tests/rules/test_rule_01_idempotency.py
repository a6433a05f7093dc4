"""Rule 1: the same submission again gives the job that is kept, and costs nothing."""

import threading
import unicodedata
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from batch.errors import CallerBusyError, InvalidTargetsError, TooManyTargetsError
from batch.models import BatchGate, BatchJob
from batch.runner import Runner
from batch.types import Config, Options, Problem, Target, parse_targets
from tests.concurrency import run_threads
from tests.connection import connection
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    change,
    claim,
    lapse,
    rolled_back,
    row,
    submit,
    targets,
    terminal,
)

pytestmark = pytest.mark.django_db
RUNNER = Runner(config=ROOMY)
asked: list[str] = []


def validate(given: list[Target]) -> list[Problem]:
    """What the setting VALIDATE names here: notes that it was asked, and refuses `bad`."""
    asked.append("in a transaction" if connection.in_atomic_block else "outside")
    return [
        Problem(i, "url", "bad_host", "no such host", "mend it")
        for i, target in enumerate(given)
        if "bad" in target.url
    ]


def test_the_same_targets_of_the_same_caller_give_the_same_job() -> None:
    given = targets(3)
    first = RUNNER.submit("ann", "", given)
    again = RUNNER.submit("ann", "", given)
    assert (first.reused, again.reused) == (False, True)
    assert first.id == again.id
    assert BatchJob.objects.count() == 1


def test_the_class_of_the_caller_is_no_part_of_the_key() -> None:
    given = targets()
    first = RUNNER.submit("ann", "user", given)
    assert RUNNER.submit("ann", "staff", given).id == first.id


def test_another_caller_gets_a_job_of_its_own() -> None:
    given = targets()
    first = RUNNER.submit("ann", "", given)
    other = RUNNER.submit("bob", "", given)
    assert not other.reused
    assert first.id != other.id


@pytest.mark.parametrize("status", ["done", "failed", "partial", "cancelled"])
def test_a_job_that_ended_is_reused_while_its_lease_lasts(status: str) -> None:
    job_id = terminal(status)
    given = [Target(target.url) for target in row(job_id).targets.order_by("idx")]
    again = RUNNER.submit("ann", "", given)
    assert (again.id, again.reused) == (job_id, True)
    assert row(job_id).status == status


def test_a_job_that_failed_with_its_worker_is_reused_too() -> None:
    given = targets()
    first = RUNNER.submit("ann", "", given)
    claim(first.id, hold=-HOUR)
    Runner().mark_in_flight_failed("restart")
    assert RUNNER.submit("ann", "", given) == type(first)(first.id, True)


def test_a_job_in_hand_is_reused() -> None:
    given = targets()
    first = RUNNER.submit("ann", "", given)
    claim(first.id)
    assert RUNNER.submit("ann", "", given).id == first.id


def test_reuse_asks_for_no_room() -> None:
    small = Runner(config=Config(targets_per_job=2, jobs_per_caller=1, jobs_total=1))
    given = targets(2)
    first = small.submit("ann", "", given)
    assert small.submit("ann", "", given).id == first.id


def test_reuse_comes_before_the_count_of_targets() -> None:
    given = targets(3)
    first = RUNNER.submit("ann", "", given)
    small = Runner(config=Config(targets_per_job=2))
    assert small.submit("ann", "", given).id == first.id


def test_reuse_changes_no_row_and_writes_nothing() -> None:
    given = targets()
    first = RUNNER.submit("ann", "", given)
    before = (BatchJob.objects.values().get(), BatchGate.objects.values().get())
    RUNNER.submit("ann", "", given)
    assert (BatchJob.objects.values().get(), BatchGate.objects.values().get()) == before
    assert str(before[0]["id"]) == first.id


def test_of_several_kept_jobs_the_newest_is_given() -> None:
    given = targets()
    ids = []
    for age in (3, 1, 2):
        job_id = RUNNER.submit("ann", "", given).id
        lapse(job_id)
        change(job_id, created_at=timezone.now() - age * HOUR)
        ids.append(job_id)
    for job_id in ids:
        change(job_id, lease_expires_at=timezone.now() + HOUR)
    assert RUNNER.submit("ann", "", given).id == ids[1]


def test_after_the_lease_the_same_targets_make_a_fresh_job() -> None:
    given = targets()
    first = RUNNER.submit("ann", "", given)
    Runner().cancel(first.id)
    lapse(first.id)
    again = RUNNER.submit("ann", "", given)
    assert not again.reused
    assert again.id != first.id


def test_a_live_job_whose_lease_lapsed_is_not_given_again_but_counts() -> None:
    given = targets()
    runner = Runner(config=Config(jobs_per_caller=1))
    first = runner.submit("ann", "", given)
    lapse(first.id)
    with pytest.raises(CallerBusyError) as caught:
        runner.submit("ann", "", given)
    assert caught.value.job_id == first.id


def test_a_lease_of_another_caller_does_not_count() -> None:
    given = targets()
    first = RUNNER.submit("bob", "", given)
    assert RUNNER.submit("ann", "", given).id != first.id
    assert RUNNER.submit("bob", "", given).id == first.id


def test_option_keys_in_another_order_are_the_same_submission() -> None:
    one = [{"url": "https://e.com/", "options": {"mode": "text", "grep": "x", "recover": True}}]
    two = [{"options": {"recover": True, "grep": "x", "mode": "text"}, "url": "https://e.com/"}]
    first = RUNNER.submit("ann", "", parse_targets(one))
    assert RUNNER.submit("ann", "", parse_targets(two)).id == first.id


@pytest.mark.parametrize(
    "spelled",
    [
        ["https://e.com/"],
        [{"url": "https://e.com/"}],
        [{"url": "https://e.com/", "options": {}}],
        [{"url": "https://e.com/", "options": {"mode": "", "context": False}}],
        [Target("https://e.com/")],
    ],
)
def test_what_is_left_out_and_what_is_zero_are_the_same(spelled: list[object]) -> None:
    first = RUNNER.submit("ann", "", [Target("https://e.com/", Options(mode="", recover=False))])
    assert RUNNER.submit("ann", "", parse_targets(spelled)).id == first.id


def test_pages_as_a_number_are_pages_as_text() -> None:
    first = RUNNER.submit("ann", "", parse_targets(["https://e.com/"], {"pages": 3}))
    again = RUNNER.submit("ann", "", parse_targets(["https://e.com/"], {"pages": "3"}))
    assert again.id == first.id


def test_defaults_for_all_targets_are_the_same_as_options_at_each() -> None:
    urls = ["https://e.com/1", "https://e.com/2"]
    first = RUNNER.submit("ann", "", parse_targets(urls, {"grep": "x"}))
    each = [{"url": url, "options": {"grep": "x"}} for url in urls]
    assert RUNNER.submit("ann", "", parse_targets(each)).id == first.id


@pytest.mark.parametrize(
    "other",
    [
        [Target("https://e.com/a"), Target("https://e.com/é")],  # order
        [Target("https://e.com/é")],  # number
        [Target("https://e.com/é"), Target("https://e.com/A")],  # case
        [Target("https://e.com/é"), Target("https://e.com/a ")],  # a space
        [Target("https://e.com/é"), Target("https://e.com/a", Options(mode="text"))],
        [Target(unicodedata.normalize("NFD", "https://e.com/é")), Target("https://e.com/a")],
    ],
)
def test_whatever_differs_makes_another_job(other: list[Target]) -> None:
    first = RUNNER.submit("ann", "", [Target("https://e.com/é"), Target("https://e.com/a")])
    assert RUNNER.submit("ann", "", other).id != first.id


def test_keys_of_extra_are_sorted_at_every_depth(settings: Any) -> None:
    settings.BATCH = {"EXTRA_OPTIONS": True}
    one = {"b": 1, "a": {"d": [{"y": 1, "x": 2}], "c": 3}}
    two = {"a": {"c": 3, "d": [{"x": 2, "y": 1}]}, "b": 1}
    changed = {"a": {"c": 3, "d": [{"x": 2, "y": 2}]}, "b": 1}
    ids = [
        RUNNER.submit("ann", "", [Target("https://e.com/", Options(extra=extra))]).id
        for extra in (one, two, changed)
    ]
    assert ids[0] == ids[1] != ids[2]


def test_the_size_is_looked_at_before_the_host_is_asked(settings: Any) -> None:
    settings.BATCH = {"VALIDATE": f"{__name__}.validate", "TARGETS_PER_JOB": 1}
    asked.clear()
    with pytest.raises(TooManyTargetsError):
        Runner().submit("ann", "", [Target("https://bad/"), Target("https://bad/2")])
    assert not asked


def test_the_host_is_asked_before_the_caps(settings: Any) -> None:
    settings.BATCH = {"VALIDATE": f"{__name__}.validate", "JOBS_PER_CALLER": 1}
    submit()
    with pytest.raises(InvalidTargetsError) as caught:
        Runner().submit("ann", "", [Target("https://bad/")])
    assert [problem.code for problem in caught.value.problems] == ["bad_host"]


def test_the_host_is_not_asked_about_a_job_that_is_kept(settings: Any) -> None:
    first = Runner().submit("ann", "", [Target("https://bad/")])
    settings.BATCH = {"VALIDATE": f"{__name__}.validate"}
    asked.clear()
    assert Runner().submit("ann", "", [Target("https://bad/")]).id == first.id
    assert not asked


@pytest.mark.django_db(transaction=True)
def test_the_host_is_asked_outside_of_any_transaction(settings: Any) -> None:
    settings.BATCH = {"VALIDATE": f"{__name__}.validate"}
    asked.clear()
    Runner().submit("ann", "", targets())
    assert asked == ["outside"]


@pytest.mark.django_db(transaction=True)
def test_alike_submits_at_the_same_moment_give_one_job() -> None:
    given = targets(2)
    runner = Runner(config=Config(jobs_per_caller=1, jobs_total=1))
    answers = run_threads(12, lambda i: runner.submit("ann", "", given))
    assert len({answer.id for answer in answers}) == 1, answers
    assert sorted(answer.reused for answer in answers) == [False] + [True] * 11
    assert BatchJob.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_rolled_back_was_never_a_duplicate() -> None:
    given = targets()
    stored = threading.Event()

    def first_or_second(i: int) -> object:
        if i:
            stored.wait(10)
            return RUNNER.submit("ann", "", given)
        with rolled_back():
            RUNNER.submit("ann", "", given)
            stored.set()
            # The other submit is at the gate meanwhile, or about to be.
            threading.Event().wait(0.5)
        return None

    _, second = run_threads(2, first_or_second)
    assert not second.reused
    assert row(second.id).status == "running"
    assert BatchJob.objects.count() == 1


def test_a_ttl_of_the_runner_bounds_the_reuse() -> None:
    given = targets()
    short = Runner(config=Config(ttl=timedelta(seconds=5)))
    first = short.submit("ann", "", given)
    left = row(first.id).lease_expires_at - timezone.now()
    assert timedelta(seconds=2) < left <= timedelta(seconds=5, milliseconds=100)
