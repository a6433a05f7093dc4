"""batch_try: one target, here and now, nothing stored."""

import logging
from typing import Any

import pytest

from batch.errors import FetchError
from batch.models import BatchJob
from batch.types import FetchContext, Result, Target
from tests.unit.commands import refused, run

pytestmark = pytest.mark.django_db

logger = logging.getLogger(__name__)


def fetch(context: FetchContext, target: Target) -> Result:
    """What FETCH names here."""
    logger.debug("looked", extra={"at": target.url})
    if "bad" in target.url:
        raise FetchError("404", "look elsewhere", code="http_404", meta={"status_code": 404})
    if "bug" in target.url:
        raise ZeroDivisionError("by zero")
    return Result("é\x1b[2J\nline", {"mode": target.options.mode, "unknown": None})


@pytest.fixture(autouse=True)
def batch(settings: Any) -> None:
    settings.BATCH = {"FETCH": f"{__name__}.fetch"}


def test_the_content_is_what_stands_on_stdout() -> None:
    done = run("batch_try", "https://e.com/a")
    assert (done.code, done.out, done.err) == (0, "é\x1b[2J\nline\n", "")
    assert not BatchJob.objects.exists()


def test_explain_shows_what_the_functions_package_logs_and_the_facts() -> None:
    before = logging.getLogger("tests").level
    done = run("batch_try", "https://e.com/a", "--option", "mode=full", "--explain")
    step, *facts = done.err.splitlines()
    assert step.endswith(" ms  looked at=https://e.com/a")
    assert float(step.split()[0]) >= 0
    assert facts == ['mode: "full"']
    assert done.out.endswith("line\n")
    assert logging.getLogger("tests").level == before
    assert not logging.getLogger("tests").handlers


def test_a_failure_is_one_line_with_its_code_and_hint() -> None:
    assert refused("batch_try", "https://bad/", code=1) == (
        "CommandError: http_404: 404 (look elsewhere)"
    )


def test_explain_shows_what_is_known_of_a_failure() -> None:
    done = run("batch_try", "https://bad/", "--explain")
    assert done.code == 1
    assert "status_code: 404" in done.err.splitlines()


def test_a_functions_own_error_is_shown_where_it_happened() -> None:
    done = run("batch_try", "https://bug/")
    assert done.code == 1
    assert "in fetch" in done.err
    assert "internal: ZeroDivisionError: by zero" in done.err


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["https://e.com/", "--option", "nonsense=1"], 2, "nonsense"),
        (["https://e.com/", "--option", "mode"], 1, "name=value"),
        (["https://e.com/", "--option", "context=maybe"], 1, "true or false"),
    ],
)
def test_what_a_submit_would_refuse_is_refused(args: list[str], code: int, said: str) -> None:
    assert said in refused("batch_try", *args, code=code)


def test_a_fetch_that_is_not_there_is_named(settings: Any) -> None:
    settings.BATCH = {}
    assert "FETCH" in refused("batch_try", "https://e.com/", code=1)
