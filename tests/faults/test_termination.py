"""SIGTERM and SIGINT: jobs in hand may end, and nothing is left half done."""

import random
import signal
import time

import pytest

from batch.models import BatchJob, BatchTarget, BatchWorker
from batch.runner import Runner
from tests.concurrency import eventually, rounds
from tests.faults.verdict import assert_sound
from tests.faults.workers import Records, start, status
from tests.processes import Processes
from tests.rules.jobs import row, rows, states

pytestmark = pytest.mark.django_db(transaction=True)


def nothing_in_hand() -> bool:
    held = BatchJob.objects.filter(claim__gt=0, status="running").exists()
    running = BatchTarget.objects.filter(status="running").exists()
    claims = BatchJob.objects.filter(claim_expires_at__isnull=False).exists()
    return not (held or running or claims or BatchWorker.objects.exists())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_told_to_stop_ends_its_job_and_claims_no_other(
    processes: Processes, records: Records, number: signal.Signals
) -> None:
    worker = start(processes, "--slots", "1")
    job_id = records.submit(3, seconds=0.3)
    eventually(lambda: records.lines())
    waiting = records.submit(1)
    worker.send(number)
    assert worker.wait() == 0
    assert (status(job_id), states(job_id)) == ("done", ["done"] * 3)
    assert (row(waiting).status, row(waiting).claim) == ("running", 0)
    assert not BatchWorker.objects.exists()


def test_an_idle_worker_stops_at_once(processes: Processes) -> None:
    worker = start(processes, "--poll", "30")
    began = time.monotonic()
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert time.monotonic() - began < 5


# A thread cannot be killed: the worker waits some seconds for it before it leaves it behind.
@pytest.mark.parametrize("isolation", ["process", pytest.param("thread", marks=pytest.mark.long)])
def test_after_the_grace_the_rest_is_failed_before_the_worker_ends(
    processes: Processes, records: Records, isolation: str
) -> None:
    worker = start(processes, "--grace", "0.6", ISOLATION=isolation, CHILD_DJANGO=False)
    cut = records.submit(3, seconds=30)
    short = records.submit(1, seconds=0.1)
    eventually(lambda: len(records.lines()) == 2, 30)
    began = time.monotonic()
    worker.send(signal.SIGTERM)
    assert worker.wait(20) == 3
    assert time.monotonic() - began < 12
    job = row(cut)
    assert (job.status, job.error, states(cut)) == (
        "failed",
        "restart",
        ["failed", "pending", "pending"],
    )
    assert (rows(cut)[0].error, rows(cut)[0].code) == ("restart", "restart")
    assert status(short) == "done"
    assert nothing_in_hand()


def test_a_second_signal_ends_it_without_waiting_for_the_grace(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, "--grace", "60", ISOLATION="process", CHILD_DJANGO=False)
    job_id = records.submit(2, seconds=30)
    eventually(lambda: records.lines(), 30)
    worker.send(signal.SIGTERM)
    eventually(lambda: "worker_stopping" in worker.err)
    assert worker.popen.poll() is None
    began = time.monotonic()
    worker.send(signal.SIGTERM)
    assert worker.wait(20) == 3
    assert time.monotonic() - began < 10
    assert (row(job_id).error, states(job_id)) == ("restart", ["failed", "pending"])
    assert nothing_in_hand()


def test_a_cancelled_job_that_is_cut_off_stays_cancelled(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, "--grace", "0", ISOLATION="process", CHILD_DJANGO=False)
    job_id = records.submit(2, seconds=30)
    eventually(lambda: records.lines(), 30)
    assert Runner().cancel(job_id)
    worker.send(signal.SIGTERM)
    assert worker.wait(20) == 3
    assert (row(job_id).status, states(job_id)) == ("cancelled", ["failed", "pending"])
    assert nothing_in_hand()


def test_a_worker_that_exits_when_idle_drains_everything_first(
    processes: Processes, records: Records
) -> None:
    ids = [records.submit(2) for _ in range(6)]
    worker = start(processes, "--exit-when-idle", "--slots", "2", wait=False)
    assert worker.wait() == 0
    assert [status(job_id) for job_id in ids] == ["done"] * 6
    assert nothing_in_hand()


def stopped_at_any_moment(processes: Processes, records: Records, times: int) -> None:
    codes = []
    for i in range(times):
        isolation = "process" if i % 4 == 0 else "thread"
        for _ in range(4):
            records.submit(5, seconds=0.005)
        grace = random.choice(["0", "0.05", "5"])
        worker = start(processes, "--grace", grace, ISOLATION=isolation, CHILD_DJANGO=False)
        time.sleep(random.uniform(0, 0.3))
        worker.send(random.choice([signal.SIGTERM, signal.SIGINT]))
        codes.append(worker.wait(30))
        assert codes[-1] in (0, 3), worker.err
        assert nothing_in_hand(), worker.err
        cut_off = BatchJob.objects.filter(error="restart").exists()
        assert cut_off == (codes[-1] == 3), worker.err
        assert "Traceback" not in worker.err
        # Jobs that it did not come to wait for another worker.
        BatchJob.objects.claimable().delete()
        assert_sound(records)
        BatchJob.objects.all().delete()
    assert not records.twice()


def test_a_worker_stopped_at_any_moment_leaves_nothing_in_hand(
    processes: Processes, records: Records
) -> None:
    stopped_at_any_moment(processes, records, 3)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_worker_stopped_at_any_of_many_moments_leaves_nothing_in_hand(
    processes: Processes, records: Records
) -> None:
    stopped_at_any_moment(processes, records, rounds(100))
