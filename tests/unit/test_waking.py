"""What a waiting worker waits on."""

import os
import threading
import time

import pytest

from batch import database
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.waking import Bell, waiting
from tests.concurrency import eventually, run_threads
from tests.connection import connection
from tests.databases import ALIAS
from tests.rules.jobs import rolled_back, row, submit, targets
from tests.rules.workers import working


def test_a_bell_ends_a_wait_from_another_thread() -> None:
    bell = Bell()
    threading.Timer(0.1, bell.ring).start()
    began = time.monotonic()
    assert bell.wait(10)
    assert time.monotonic() - began < 5
    bell.close()


def test_a_bell_that_rang_before_the_wait_is_heard_once() -> None:
    bell = Bell()
    for _ in range(100_000):
        bell.ring()
    assert bell.wait(10)
    began = time.monotonic()
    eventually(lambda: not bell.wait(0.05))
    assert time.monotonic() - began < 5
    bell.close()


def test_a_bell_hears_other_descriptors_as_well() -> None:
    bell = Bell()
    heard, rope = os.pipe()
    bell.watch(heard)
    assert not bell.wait(0)
    os.write(rope, b"x")
    assert bell.wait(10)
    bell.unwatch(heard)
    assert not bell.wait(0)
    for fd in (heard, rope):
        os.close(fd)
    bell.close()


@pytest.mark.only_on("sqlite", "sqlite-default", "postgres")
@pytest.mark.not_with("pgbouncer")
@pytest.mark.django_db(transaction=True)
def test_a_commit_of_a_submit_elsewhere_cuts_a_wait_short() -> None:
    bell = Bell()
    waits = waiting(bell, ALIAS)
    waits.wait(0.05)
    thread = threading.Timer(0.2, lambda: run_threads(1, lambda i: submit()))
    thread.start()
    began = time.monotonic()
    waits.wait(10)
    waited = time.monotonic() - began
    thread.join()
    assert 0.1 < waited < 5
    waits.close()
    bell.close()


@pytest.mark.django_db(transaction=True)
def test_a_wait_lasts_as_long_as_it_should_when_nothing_happens() -> None:
    bell = Bell()
    waits = waiting(bell, ALIAS)
    waits.wait(0.02)
    began = time.monotonic()
    waits.wait(0.3)
    assert 0.28 < time.monotonic() - began < 3
    waits.close()
    bell.close()


@pytest.mark.only_on("postgres")
@pytest.mark.django_db(transaction=True)
def test_nobody_is_woken_by_what_is_rolled_back() -> None:
    bell = Bell()
    waits = waiting(bell, ALIAS)
    waits.wait(0.05)
    with rolled_back():
        submit()
        database.notify(ALIAS)
    began = time.monotonic()
    waits.wait(0.3)
    assert time.monotonic() - began > 0.25
    waits.close()
    bell.close()


@pytest.mark.only_on("sqlite", "sqlite-default", "postgres")
@pytest.mark.not_with("pgbouncer")
@pytest.mark.django_db(transaction=True)
def test_an_idle_worker_begins_a_job_long_before_its_next_poll(settings: object) -> None:
    settings.BATCH = {"ISOLATION": "thread"}  # type: ignore[attr-defined]
    fetch = FakeFetch()
    with working(fetch, poll_seconds=30.0):
        time.sleep(0.5)
        began = time.monotonic()
        job_id = Runner().submit("ann", "", targets()).id
        eventually(lambda: row(job_id).status == "done", pause=0.005)
        assert time.monotonic() - began < 5
    assert len(fetch.calls) == 1
    assert connection.is_usable()
