"""Callers, classes, lanes, extra options and the host's own validation."""

from typing import Any

import pytest

from batch.errors import InvalidTargetsError
from batch.models import BatchJob
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Config, Options, Problem, Target
from tests.rules.jobs import ROOMY, row, rows, submit, targets

pytestmark = pytest.mark.django_db
RUNNER = Runner(config=ROOMY)

# Case, accents (composed and not), spaces, wide letters, invisible ones, and what folds alike.
DISTINCT = ["ann", "Ann", "änn", "ann ", " ann", "a\u0308nn", "\uff41nn", "ann\u200b", "ß", "ss"]


def lane(target: Target) -> str:
    return target.url.rsplit("/", 1)[-1]


def long_lane(target: Target) -> str:
    return "ä" * 1000


def odd_lane(target: Target) -> str:
    return "a\0b\ud800c"


def validate(given: list[Target]) -> list[Problem]:
    return [
        Problem(i, "jq", "bad_jq", f"bad program {target.options.jq}", "mend it")
        for i, target in enumerate(given)
        if target.options.jq == "bad"
    ]


@pytest.mark.parametrize(
    "caller", ["", None, 5, b"ann", "a\0b", "\ud800", "x" * 256, ["ann"]], ids=repr
)
def test_a_caller_that_cannot_be_is_a_value_error(caller: Any) -> None:
    with pytest.raises(ValueError, match="caller"):
        RUNNER.submit(caller, "", targets())
    assert not BatchJob.objects.exists()


@pytest.mark.parametrize("caller_class", [None, 5, "a\0b", "\udfff", "x" * 65], ids=repr)
def test_a_class_that_cannot_be_is_a_value_error(caller_class: Any) -> None:
    with pytest.raises(ValueError, match="class"):
        RUNNER.submit("ann", caller_class, targets())
    assert not BatchJob.objects.exists()


@pytest.mark.parametrize("caller", ["x" * 255, "🙂" * 255, "a\nb", "user:7", " "], ids=ascii)
def test_any_other_text_is_a_caller(caller: str) -> None:
    assert row(RUNNER.submit(caller, "🙂" * 64, targets()).id).caller == caller


def test_callers_that_differ_in_anything_are_different() -> None:
    given = targets()
    small = Runner(config=Config(jobs_total=100))
    ids = [small.submit(caller, "", given).id for caller in DISTINCT]
    assert len(set(ids)) == len(DISTINCT)
    for caller, job_id in zip(DISTINCT, ids, strict=True):
        assert small.submit(caller, "", given).id == job_id
        assert [str(job.id) for job in BatchJob.objects.of_caller(caller)] == [job_id]


def test_targets_that_differ_in_anything_are_different() -> None:
    ids = {RUNNER.submit("ann", "", [Target(f"https://e.com/{one}")]).id for one in DISTINCT}
    assert len(ids) == len(DISTINCT)
    grep = {
        RUNNER.submit("ann", "", [Target("https://e.com/", Options(grep=one))]).id
        for one in DISTINCT
    }
    assert len(grep) == len(DISTINCT)


def test_a_url_and_its_options_come_back_as_they_were_given() -> None:
    url = "https://e.com/é 🙂?a=1&b=<x>#y "
    options = Options(question='What\nis "it"?\t', pages="1-3", jq=".a", recover=True)
    fetch = FakeFetch()
    job_id = RUNNER.submit("ann", "", [Target(url, options)]).id
    Runner(fetch).drain(job_id)
    assert fetch.calls[0][1] == Target(url, options)
    assert rows(job_id)[0].options == options.given()


def test_options_are_stored_without_their_zero_values() -> None:
    job_id = RUNNER.submit("ann", "", [Target("u", Options(mode="", grep="x", context=False))]).id
    assert rows(job_id)[0].options == {"grep": "x"}


def test_extra_is_refused_unless_the_host_accepts_it() -> None:
    with pytest.raises(InvalidTargetsError) as caught:
        RUNNER.submit("ann", "", [Target("u"), Target("u", Options(extra={"a": 1}))])
    (problem,) = caught.value.problems
    assert (problem.index, problem.field, problem.code) == (1, "extra", "unknown_option")
    assert problem.hint


def test_extra_reaches_the_fetch_function_untouched(settings: Any) -> None:
    settings.BATCH = {"EXTRA_OPTIONS": True}
    extra = {"b": [1, 2.5, None, True, {"é": "<x>"}], "a": "", "zero": 0}
    fetch = FakeFetch()
    job_id = RUNNER.submit("ann", "", [Target("u", Options(extra=extra))]).id
    Runner(fetch).drain(job_id)
    assert fetch.calls[0][1].options.extra == extra


@pytest.mark.parametrize(
    "extra",
    [
        {"a": float("nan")},
        {"a": "x\0"},
        {"a\ud800": 1},
        {1: 2},
        {"a": Ellipsis},
        {"a": b"x"},
        {"a": {"b": (1, {2})}},
    ],
    ids=ascii,
)
def test_extra_that_cannot_be_stored_is_refused(settings: Any, extra: Any) -> None:
    settings.BATCH = {"EXTRA_OPTIONS": True}
    with pytest.raises(InvalidTargetsError) as caught:
        RUNNER.submit("ann", "", [Target("u", Options(extra=extra))])
    assert caught.value.problems[0].field == "extra"


def test_a_lane_is_empty_by_default() -> None:
    assert rows(submit())[0].lane == ""


def test_a_lane_is_what_the_host_says_of_each_target(settings: Any) -> None:
    settings.BATCH = {"LANE": f"{__name__}.lane"}
    job_id = RUNNER.submit("ann", "", [Target("https://e.com/a"), Target("https://e.com/é ")]).id
    assert [target.lane for target in rows(job_id)] == ["a", "é "]


def test_a_long_lane_is_cut(settings: Any) -> None:
    settings.BATCH = {"LANE": f"{__name__}.long_lane"}
    assert rows(submit())[0].lane == "ä" * 255


def test_a_lane_is_stored_clean(settings: Any) -> None:
    settings.BATCH = {"LANE": f"{__name__}.odd_lane"}
    assert rows(submit())[0].lane == "a\ufffdb\ufffdc"


def test_the_host_may_refuse_targets(settings: Any) -> None:
    settings.BATCH = {"VALIDATE": f"{__name__}.validate"}
    given = [Target("u"), Target("u", Options(jq="bad"))]
    with pytest.raises(InvalidTargetsError, match=r"^invalid targets: bad program bad") as caught:
        RUNNER.submit("ann", "", given)
    assert caught.value.problems == validate(given)
    assert Runner().check("", given) == validate(given)
    assert not BatchJob.objects.exists()


def test_check_says_what_a_submit_would_refuse_and_stores_nothing(settings: Any) -> None:
    settings.BATCH = {"CLASSES": {"staff": {"TARGETS_PER_JOB": 100}}}
    assert Runner().check("", targets(2)) == []
    (problem,) = Runner().check("", targets(33))
    assert (problem.index, problem.code) == (None, "too_many_targets")
    assert Runner().check("staff", targets(33)) == []
    (problem,) = Runner().check("", [])
    assert (problem.index, problem.code) == (None, "no_targets")
    (problem,) = Runner().check("", [Target("u"), Target("")])
    assert (problem.index, problem.field, problem.code) == (1, "url", "missing_url")
    (problem,) = Runner().check("", [Target("u", Options(extra={"a": 1}))])
    assert problem.code == "unknown_option"
    assert not BatchJob.objects.exists()


def test_check_asks_nothing_about_how_busy_it_is() -> None:
    Runner().submit("ann", "", targets())
    assert Runner(config=Config(jobs_total=1)).check("", targets()) == []
