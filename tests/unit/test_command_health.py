"""batch_health: what a probe is told, in one line and an exit code."""

import json
import signal
from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest
from django.utils import timezone

from batch.ids import process_name
from batch.models import BatchJob, BatchWorker
from tests.concurrency import eventually
from tests.faults.workers import start
from tests.processes import Processes
from tests.rules.jobs import claim, submit
from tests.unit.commands import refused, run

pytestmark = pytest.mark.django_db
HERE = process_name()
ELSEWHERE = "elsewhere:1:aa"


def worker(name: str = ELSEWHERE, seconds_ago: float = 0, **fields: Any) -> None:
    seen = timezone.now() - timedelta(seconds=seconds_ago)
    BatchWorker.objects.create(name=name, seen_at=seen, **fields)


def healthy(*args: str) -> str:
    done = run("batch_health", *args)
    assert (done.code, done.err) == (0, "")
    (line,) = done.out.splitlines()
    return line


def test_nothing_to_do_and_nobody_there_is_well() -> None:
    assert healthy() == "0 jobs wait, no worker is alive"


def test_jobs_that_wait_for_no_worker_are_not() -> None:
    submit()
    assert refused("batch_health", code=1) == "1 job waits, no worker is alive"
    submit()
    assert refused("batch_health", code=1).startswith("2 jobs wait")


def test_jobs_that_wait_for_a_living_worker_are_well() -> None:
    submit()
    worker(slots=4, busy=3)
    worker(HERE, slots=2, busy=2)
    assert healthy() == "1 job waits, 2 workers alive, 5 of 6 slots busy"


def test_a_worker_that_was_silent_for_too_long_is_not_alive(settings: Any) -> None:
    submit()
    worker(seconds_ago=70)
    refused("batch_health", code=1)
    settings.BATCH = {"CLAIM_SECONDS": 120}
    assert "1 worker alive" in healthy()


def test_a_job_in_hand_does_not_wait() -> None:
    claim(submit())
    assert healthy().startswith("0 jobs wait")


def test_a_probe_asks_for_a_worker_on_its_own_host_whether_jobs_wait_or_not() -> None:
    worker(slots=9)
    worker(f"{HERE.rsplit(':', 2)[0]}2:1:aa")
    worker(f"a{HERE}")
    line = refused("batch_health", "--here", code=1)
    assert line == "0 jobs wait, no worker is alive on this host"
    worker(HERE, slots=2)
    assert healthy("--here") == "0 jobs wait, 1 worker alive on this host, 0 of 2 slots busy"


@pytest.mark.parametrize("dispatch", ["thread", "celery"])
def test_where_something_else_drains_no_worker_is_missed(dispatch: str, settings: Any) -> None:
    submit()
    settings.BATCH = {"DISPATCH": dispatch}
    line = healthy()
    assert line == f"1 job waits, no worker is alive, and none is needed: DISPATCH is {dispatch}"
    refused("batch_health", "--here", code=1)


@pytest.mark.parametrize("args", [[], ["--here"]])
def test_a_script_reads_json(args: list[str]) -> None:
    submit()
    done = run("batch_health", "--json", *args)
    assert (done.code, done.err) == (1, "")
    shown = json.loads(done.out)
    assert 0 <= shown.pop("waiting_seconds") < 60
    host = HERE.rsplit(":", 2)[0] if args else None
    assert shown == {
        "healthy": False,
        "waiting": 1,
        "at_lanes": 0,
        "workers": 0,
        "slots": 0,
        "busy": 0,
        "dispatch": "worker",
        "host": host,
    }
    worker(HERE, slots=4, busy=1)
    done = run("batch_health", "--json", *args)
    assert done.code == 0
    assert json.loads(done.out) == {
        **shown,
        "healthy": True,
        "waiting_seconds": ANY,
        "workers": 1,
        "slots": 4,
        "busy": 1,
    }


def test_a_script_learns_how_long_the_first_job_has_waited() -> None:
    assert json.loads(healthy("--json"))["waiting_seconds"] == 0
    first = submit()
    BatchJob.objects.filter(id=first).update(created_at=timezone.now() - timedelta(minutes=5))
    submit()
    shown = json.loads(run("batch_health", "--json").out)
    assert shown["waiting"] == 2
    assert 300 <= shown["waiting_seconds"] < 360


def test_a_bad_setting_is_told_of_in_one_line(settings: Any) -> None:
    settings.BATCH = {"JOBS_TOTAL": 0}
    assert "JOBS_TOTAL" in refused("batch_health", code=1)


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_is_found_here_and_missed_when_it_has_gone(processes: Processes) -> None:
    refused("batch_health", "--here", code=1)
    process = start(processes, FETCH="tests.fetches.record", CHILD_DJANGO=False)
    eventually(lambda: run("batch_health", "--here").code == 0, 30)
    process.send(signal.SIGTERM)
    assert process.wait() == 0
    refused("batch_health", "--here", code=1)
