"""Long lists and large results: what they may take in time and memory."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from batch.models import BatchTarget
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Config, FetchContext, Result, Target
from tests.concurrency import eventually, rounds
from tests.connection import connection
from tests.faults.workers import start, status
from tests.processes import Processes
from tests.rules.jobs import ROOMY, row, submit, targets

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
MEGABYTE = 1024**2


def memory() -> int:
    return psutil.Process(os.getpid()).memory_info().rss


@pytest.mark.timeout(600)
def test_a_hundred_thousand_targets_are_submitted_shown_and_purged_in_good_time() -> None:
    given = targets(100_000)
    began = time.monotonic()
    job_id = Runner(config=ROOMY).submit("ann", "", given).id
    # Ten seconds on a quiet machine with SQLite; a server has a way to go for each thousand.
    assert time.monotonic() - began < (30 if connection.vendor == "sqlite" else 90)
    assert row(job_id).targets_total == BatchTarget.objects.count() == 100_000

    began = time.monotonic()
    assert Runner(config=ROOMY).submit("ann", "", given).reused
    assert time.monotonic() - began < 10

    began = time.monotonic()
    job = Runner().job(job_id)
    assert job is not None
    assert (job.targets_total, job.targets_done) == (100_000, 0)
    assert time.monotonic() - began < 0.1

    assert Runner().cancel(job_id)
    began = time.monotonic()
    Runner().delete(job_id)
    assert time.monotonic() - began < 60
    assert not BatchTarget.objects.exists()


@pytest.mark.timeout(600)
def test_a_long_job_is_drained_without_loading_all_of_it() -> None:
    job_id = submit(2500)
    seen: list[int] = []

    def fetch(context: FetchContext, target: Target) -> Result:
        if context.idx in (500, 2400):
            seen.append(memory())
        return Result("x")

    assert Runner(fetch).drain(job_id)
    assert status(job_id) == "done"
    assert seen[1] - seen[0] < 20 * MEGABYTE


@pytest.mark.timeout(600)
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_a_worker_is_no_larger_after_thousands_of_large_results(
    processes: Processes, isolation: str, tmp_path: Path
) -> None:
    count = 100 + rounds(1900)
    worker = start(processes, FETCH="tests.fetches.large", ISOLATION=isolation, CHILD_DJANGO=False)
    process = psutil.Process(worker.pid)
    runner = Runner(config=Config(targets_per_job=5000))
    job_id = runner.submit("ann", "", targets(count)).id
    eventually(lambda: row(job_id).targets_done >= 100, 120)
    before = process.memory_info().rss
    eventually(lambda: status(job_id) == "done", 500)
    assert process.memory_info().rss - before < 50 * MEGABYTE
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0


@pytest.mark.timeout(300)
def test_a_short_lease_costs_a_purge_no_more_than_small_transactions() -> None:
    for i in range(10):
        runner = Runner(FakeFetch(), Config(targets_per_job=60, ttl=0.001))
        job_id = runner.submit(f"caller {i}", "", targets(60)).id
        assert runner.drain(job_id)
    before = memory()
    assert Runner().purge() == 10
    assert not BatchTarget.objects.exists()
    assert memory() - before < 20 * MEGABYTE
