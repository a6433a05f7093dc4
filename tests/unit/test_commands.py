"""batch_status, batch_cancel, batch_retry, batch_purge: exit codes, and errors in one line."""

import json
from typing import Any

import pytest
from django.utils import timezone

from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Target
from tests.rules.jobs import HOUR, change, claim, drained, lapse, row, rows, submit, terminal
from tests.unit.commands import refused, run

pytestmark = pytest.mark.django_db
NOBODY = "00000000-0000-7000-8000-000000000000"
ODD = ["", "nonsense", "a\0b", "\ud800", NOBODY, "x" * 10_000, "line\nbreak"]


@pytest.mark.parametrize("name", ["batch_status", "batch_cancel", "batch_retry"])
@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_an_unknown_job_is_told_of_in_one_line(name: str, odd: str) -> None:
    if name == "batch_status" and not odd:
        odd = " "  # an empty argument asks for the list
    assert "unknown job" in refused(name, odd)


@pytest.mark.parametrize("name", ["batch_status", "batch_purge", "batch_submit"])
def test_a_bad_setting_is_told_of_in_one_line(name: str, settings: Any) -> None:
    settings.BATCH = {"JOBS_TOTAL": 0}
    args = ["https://e.com/"] if name == "batch_submit" else []
    assert "JOBS_TOTAL" in refused(name, *args, code=1)


def test_status_shows_a_job_with_its_targets() -> None:
    given = [Target("https://e.com/a"), Target("https://e.com/b")]
    job_id = drained(FakeFetch(fail=[given[1].url]), given)
    done = run("batch_status", job_id)
    assert done.code == 0
    assert f"{job_id} partial 2/2 finished, 1 failed" in done.out
    assert "https://e.com/a" in done.out
    assert "told_to_fail" in done.out


def test_status_as_json_is_json() -> None:
    job_id = drained(FakeFetch(content="é\n"), [Target("https://e.com/a")])
    shown = json.loads(run("batch_status", job_id, "--json").out)
    assert shown["job"]["id"] == job_id
    assert shown["job"]["status"] == "done"
    assert shown["targets"][0]["result"]["content"] == "é\n"
    assert json.loads(run("batch_status", "--json").out)[0]["id"] == job_id


def test_status_lists_the_latest_jobs() -> None:
    ids = [submit(caller=f"caller {i}") for i in range(3)]
    done = run("batch_status")
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == ids[::-1]
    assert run("batch_status").code == 0


def test_a_list_without_jobs_is_no_error() -> None:
    assert run("batch_status").code == 0
    assert json.loads(run("batch_status", "--json").out) == []


def test_what_a_page_wrote_moves_no_cursor() -> None:
    evil = "https://e.com/\x1b[2J\x07\u202e"
    job_id = drained(FakeFetch(), [Target(evil)])
    out = run("batch_status", job_id).out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_cancel_cancels() -> None:
    job_id = submit()
    done = run("batch_cancel", job_id)
    assert (done.code, done.err) == (0, "")
    assert row(job_id).status == "cancelled"


@pytest.mark.parametrize("status", ["done", "cancelled"])
def test_cancel_says_when_the_job_has_ended(status: str) -> None:
    job_id = terminal(status)
    done = run("batch_cancel", job_id)
    assert done.code == 1
    assert status in done.err
    assert row(job_id).status == status


def test_retry_prints_the_new_jobs_id() -> None:
    job_id = terminal("failed")
    done = run("batch_retry", job_id)
    assert done.code == 0
    assert len(rows(done.out.strip())) == 2


def test_retry_says_why_it_does_not() -> None:
    assert "nothing to retry" in refused("batch_retry", terminal("done"), code=2)
    live = submit(caller="bob")
    claim(live)
    assert "job live" in refused("batch_retry", live, code=2)
    failed = terminal("failed", caller="bob")
    assert "busy" in refused("batch_retry", failed, code=2)


def test_purge_says_how_many() -> None:
    for caller in ("ann", "bob"):
        job_id = terminal("done", caller)
        lapse(job_id)
        change(job_id, finished_at=timezone.now() - HOUR)
    terminal("done")
    assert run("batch_purge", "--dry-run").out.startswith("2 ")
    assert run("batch_purge").out.startswith("2 ")
    assert run("batch_purge").out.startswith("0 ")
    assert len(Runner().latest(10)) == 1


@pytest.mark.parametrize(
    "args",
    [
        ["--slots", "0"],
        ["--slots", "-1"],
        ["--slots", "1001"],
        ["--poll", "0"],
        ["--poll", "nan"],
        ["--grace", "-1"],
        ["--grace", "nan"],
        ["--slots", "x"],
    ],
)
def test_a_worker_refuses_numbers_that_make_no_sense(args: list[str], settings: Any) -> None:
    settings.BATCH = {"FETCH": "tests.fetches.record"}
    assert args[0] in refused("batch_worker", *args)
