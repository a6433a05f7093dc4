"""SQLite: another process holds the file, and many write at once."""

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from batch.errors import BatchError
from batch.models import BatchTarget
from batch.runner import Runner
from batch.types import Config
from tests.concurrency import eventually, rounds, run_threads
from tests.connection import connection
from tests.faults.verdict import assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status
from tests.processes import Processes
from tests.rules.jobs import states, targets

pytestmark = [
    pytest.mark.only_on("sqlite", "sqlite-default"),
    pytest.mark.django_db(transaction=True),
]


LOCKED_SECONDS = 10
LOCK = """
import sqlite3, sys, time
file = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
file.execute("BEGIN EXCLUSIVE")
time.sleep(float(sys.argv[2]))
file.execute("COMMIT")
file.close()
"""


@contextmanager
def locked(seconds: float) -> Iterator[None]:
    """Another process's transaction, that keeps everybody from writing (and reading, without
    WAL) for so long."""
    other = sqlite3.connect(connection.settings_dict["NAME"], check_same_thread=False, timeout=30)
    other.isolation_level = None
    other.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(seconds, lambda: other.execute("COMMIT"))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        other.close()


@pytest.mark.parametrize("isolation", ["thread", pytest.param("process", marks=pytest.mark.long)])
def test_a_file_that_is_locked_during_a_fetch_loses_no_outcome(
    processes: Processes, records: Records, isolation: str
) -> None:
    worker = start(processes, ISOLATION=isolation, CHILD_DJANGO=False)
    job_id = records.submit(3, seconds=0.5)
    eventually(lambda: len(records.lines()) == 2, 30)
    with locked(2):
        pass
    eventually(lambda: status(job_id) == "done", 30)
    assert states(job_id) == ["done"] * 3
    assert_sound(records)
    assert ended(worker)


@pytest.mark.long
def test_a_file_that_another_process_locks_for_long_ends_no_worker_and_loses_nothing(
    processes: Processes, records: Records
) -> None:
    busy = [start(processes, ISOLATION=kind, CHILD_DJANGO=False) for kind in ("thread", "process")]
    for _ in range(8):
        records.submit(4, seconds=0.5)
    eventually(lambda: len(records.lines()) >= 12, 30)
    workers = [*busy, start(processes)]
    written = [len(worker.err.splitlines()) for worker in workers]
    connection.close()
    # Django's default patience is 5 s.
    other = processes.python("-c", LOCK, str(connection.settings_dict["NAME"]), str(LOCKED_SECONDS))
    assert other.wait() == 0, other.err
    more = [len(one.err.splitlines()) - had for one, had in zip(workers, written, strict=True)]
    assert max(more) < 6, [worker.err for worker in workers]
    eventually(all_terminal, 60)
    assert not BatchTarget.objects.exclude(status="done").exists()
    late = records.submit(1)
    eventually(lambda: status(late) == "done", 30)
    assert_sound(records)
    assert all(ended(worker) for worker in workers)


def test_a_submit_waits_for_a_file_that_is_locked() -> None:
    with locked(1.5):
        began = time.monotonic()
        job_id = Runner().submit("ann", "", targets()).id
        assert time.monotonic() - began > 1
    assert status(job_id) == "running"


def many_at_once(processes: Processes, records: Records, seconds: float) -> None:
    worker = start(processes, "--slots", "4")
    ends = time.monotonic() + seconds
    mine: list[str] = []
    runner = Runner(config=Config(targets_per_job=100, jobs_per_caller=2, jobs_total=20))

    def move(i: int) -> dict[str, int]:
        done = {"submit": 0, "refused": 0, "cancel": 0, "list": 0}
        count = 0
        while time.monotonic() < ends:
            count += 1
            try:
                if i % 4 == 0:
                    given = records.targets(5, 0.005, f"{i}-{count}")
                    mine.append(runner.submit(f"caller {i}", "", given).id)
                    done["submit"] += 1
                elif i % 4 == 1 and mine:
                    runner.cancel(random.choice(mine))
                    done["cancel"] += 1
                    time.sleep(0.05)
                else:
                    runner.latest(20)
                    if mine:
                        assert runner.status(random.choice(mine)) is not None
                    done["list"] += 1
            except BatchError:
                done["refused"] += 1
                time.sleep(0.01)
        return done

    answers: list[Any] = run_threads(20, move, seconds + 60)
    assert all(isinstance(answer, dict) for answer in answers), answers
    assert sum(answer["submit"] for answer in answers) >= 5
    eventually(all_terminal, 60)
    assert ended(worker)
    assert_sound(records)
    assert BatchTarget.objects.filter(status="done").count() == len(records.lines())


def test_twenty_threads_and_a_worker_get_along(processes: Processes, records: Records) -> None:
    many_at_once(processes, records, 2)


@pytest.mark.long
def test_twenty_threads_and_a_worker_get_along_for_long(
    processes: Processes, records: Records
) -> None:
    many_at_once(processes, records, rounds(10))
