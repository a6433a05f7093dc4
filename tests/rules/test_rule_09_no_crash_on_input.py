"""Rule 9: whatever a fetch function raises or returns costs its target and nothing else."""

import json
from typing import Any

import pytest

from batch.errors import FetchError
from batch.runner import Runner
from batch.types import Config, FetchContext, Result, Target
from tests.rules import misbehaving
from tests.rules.jobs import drained, row, rows

pytestmark = pytest.mark.django_db


def failed(name: str) -> Any:
    """The failed target of a job of three, whose other two succeeded."""
    urls = ["https://e.com/before", f"https://e.com/{name}", "https://e.com/after"]
    job_id = drained(misbehaving.misbehave, [Target(url) for url in urls])
    before, target, after = rows(job_id)
    assert (before.status, target.status, after.status) == ("done", "failed", "done")
    assert row(job_id).status == "partial"
    assert target.result is None
    # One line that says something, and does not say too much.
    assert target.error.strip()
    assert target.error == " ".join(target.error.split())
    assert len(target.error) <= 1100
    assert "Traceback" not in target.error
    return target


@pytest.mark.parametrize("name", misbehaving.RAISING)
def test_whatever_a_fetch_raises_costs_one_target(name: str) -> None:
    target = failed(name)
    assert target.code == "internal"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("zero-division", "ZeroDivisionError: "),
        ("system-exit", "SystemExit: 3"),
        ("keyboard-interrupt", "KeyboardInterrupt"),
        ("cancelled", "CancelledError"),
        ("group", "ExceptionGroup: several (2 sub-exceptions)"),
        ("recursion", "RecursionError: "),
        ("chained", "RuntimeError: the second"),
        ("nul", "ValueError: x\ufffdy"),
        ("surrogate", "ValueError: x\ufffdy"),
        ("lines", "ValueError: one two three four"),
        ("empty", "ValueError"),
        ("no-text", "NoText"),
    ],
)
def test_the_error_says_what_was_raised(name: str, error: str) -> None:
    target = failed(name)
    assert target.error.startswith(error)
    assert target.hint


def test_want_of_memory_has_a_code_of_its_own() -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        raise MemoryError

    target = rows(drained(fetch))[0]
    assert (target.status, target.code) == ("failed", "target_memory")
    assert target.hint


@pytest.mark.parametrize("name", misbehaving.UNFIT)
def test_whatever_unfit_a_fetch_returns_costs_one_target(name: str) -> None:
    target = failed(name)
    assert target.code == "bad_result"
    assert target.hint


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none", "NoneType"),
        ("dict", "dict"),
        ("content-bytes", "bytes"),
        ("meta-list", "list"),
        ("nan", "nan"),
        ("set", "set"),
        ("decimal", "Decimal"),
        ("datetime", "datetime"),
        ("object", "NoTextObject"),
        ("number-key", "int"),
        ("bytes-key", "bytes"),
    ],
)
def test_the_error_names_the_type_that_does_not_fit(name: str, told: str) -> None:
    assert told in failed(name).error


def test_all_of_them_in_one_job_leave_the_rest_of_it_whole() -> None:
    names = [*misbehaving.RAISING, *misbehaving.UNFIT, "fine"]
    given = [Target(f"https://e.com/{name}") for name in names]
    job_id = drained(misbehaving.misbehave, given)
    job = row(job_id)
    assert (job.status, job.targets_done) == ("partial", len(names))
    assert job.targets_failed == len(names) - 1
    assert rows(job_id)[-1].status == "done"


def told_by(**fields: Any) -> Any:
    """The target of a fetch that raised a FetchError with these fields."""

    def fetch(context: FetchContext, target: Target) -> Result:
        error = FetchError("it failed", "mend it", code="bad_page")
        for name, value in fields.items():
            setattr(error, name, value)
        raise error

    (target,) = rows(drained(fetch))
    assert target.status == "failed"
    return target


def test_a_fetch_error_is_stored_as_it_was_told() -> None:
    target = told_by(meta={"status": 404, "seen": ["a"]})
    assert (target.error, target.hint, target.code) == ("it failed", "mend it", "bad_page")
    assert target.details == {"status": 404, "seen": ["a"]}


@pytest.mark.parametrize(
    ("message", "stored"),
    [
        (None, "None"),
        ("", "the fetch failed"),
        (404, "404"),
        (b"bytes", "b'bytes'"),
        ("a\0b\ud800c", "a\ufffdb\ufffdc"),
        ("one\ntwo", "one two"),
        (["a list"], "['a list']"),
    ],
)
def test_an_odd_message_becomes_text(message: Any, stored: str) -> None:
    assert told_by(message=message).error == stored


@pytest.mark.parametrize("field", ["message", "hint", "code", "meta"])
@pytest.mark.parametrize(
    "value",
    [misbehaving.NoTextObject(), misbehaving.NoText(), object(), 10**5000, {"a": object()}],
    ids=["object without text", "error without text", "object", "huge number", "dict"],
)
def test_no_odd_field_of_a_fetch_error_does_harm(field: str, value: Any) -> None:
    assert told_by(**{field: value}).error


@pytest.mark.parametrize("code", [None, "", 5, b"x"])
def test_a_code_that_is_none_becomes_internal(code: Any) -> None:
    assert told_by(code=code).code == "internal"


def test_a_long_code_message_and_hint_are_cut() -> None:
    target = told_by(code="c" * 500, message="m" * 100_000, hint="h" * 100_000)
    assert len(target.code) <= 64
    assert len(target.error) <= 1100
    assert len(target.hint) <= 1000
    assert target.error.startswith("mmm")


def test_nul_and_surrogates_are_replaced_wherever_a_fetch_error_has_them() -> None:
    odd = "a\0b\ud83dc"
    target = told_by(message=odd, hint=odd, code=odd, meta={odd: [odd, {"x": odd}]})
    clean = "a\ufffdb\ufffdc"
    assert (target.error, target.hint, target.code) == (clean, clean, clean)
    assert target.details == {clean: [clean, {"x": clean}]}


@pytest.mark.parametrize(
    "meta",
    [
        [1, 2],
        5,
        "text",
        {"score": float("nan")},
        {"a": b"bytes"},
        {1: 2},
        {"big": "x" * 10_000_000},
        {"deep": misbehaving.nested(5000)},
        {"number": 10**4000},
    ],
)
def test_details_that_cannot_be_kept_do_not_lose_the_error(meta: Any) -> None:
    target = told_by(meta=meta)
    assert (target.error, target.code) == ("it failed", "bad_page")
    assert target.details is None or len(json.dumps(target.details)) < 100_000


@pytest.mark.parametrize("meta", [None, {}])
def test_no_details_are_null(meta: Any) -> None:
    assert told_by(meta=meta).details is None


def test_what_a_fetch_changes_in_its_arguments_is_its_own_affair() -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        object.__setattr__(target, "url", "changed")
        object.__setattr__(context, "idx", 99)
        return Result("content")

    job_id = drained(fetch, [Target("https://e.com/1"), Target("https://e.com/2")])
    assert [target.url for target in rows(job_id)] == ["https://e.com/1", "https://e.com/2"]
    assert row(job_id).status == "done"


def test_the_sixth_target_after_five_evil_ones_is_done() -> None:
    names = ["system-exit", "keyboard-interrupt", "cancelled", "recursion", "group", "fine"]
    runner = Runner(misbehaving.misbehave, Config(targets_per_job=6))
    given = [Target(f"https://e.com/{name}") for name in names]
    job_id = runner.submit("ann", "", given).id
    assert runner.drain(job_id)
    assert [target.status for target in rows(job_id)] == ["failed"] * 5 + ["done"]
    assert runner.submit("ann", "", given).reused
