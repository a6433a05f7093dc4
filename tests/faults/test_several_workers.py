"""Workers beside each other, frozen ones and killed ones."""

import random
import signal
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections, transaction
from django.utils import timezone

from batch import conf
from batch.models import BatchJob, BatchTarget, BatchWorker
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.worker import Worker
from tests.concurrency import eventually, rounds
from tests.databases import ALIAS
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status
from tests.processes import Processes
from tests.rules.jobs import change, claim, row, rows, states, submit

pytestmark = pytest.mark.django_db(transaction=True)


def snapshot(job_id: str) -> tuple[object, object]:
    job = BatchJob.objects.values().get(id=job_id)
    return job, list(BatchTarget.objects.filter(job_id=job_id).order_by("idx").values())


def test_three_workers_fetch_each_target_once_and_one_of_them_has_the_job(
    processes: Processes, records: Records
) -> None:
    workers = [start(processes, "--poll", "0.05", wait=False) for _ in range(3)]
    eventually(lambda: all("worker_started" in worker.err for worker in workers), 30)
    job_id = records.submit(5, seconds=0.2)
    eventually(lambda: status(job_id) == "done")
    assert [(job, idx) for job, idx, _ in records.lines()] == [(job_id, i) for i in range(5)]
    assert len({pid for _, _, pid in records.lines()}) == 1
    # Many jobs are shared, and still nothing is fetched twice.
    for _ in range(12):
        records.submit(3, seconds=0.02)
    eventually(all_terminal, 30)
    assert_sound(records)
    assert len(records.lines()) == 5 + 12 * 3
    for worker in workers:
        worker.send(signal.SIGTERM)
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    assert not BatchWorker.objects.exists()


def test_a_second_worker_leaves_the_job_of_the_first_alone(
    processes: Processes, records: Records
) -> None:
    first = start(processes, CLAIM_SECONDS=2)
    # Longer than twice the time after which a silent worker is taken for dead.
    job_id = records.submit(1, seconds=4.5)
    eventually(lambda: records.lines())
    # It goes on saying that it lives while it waits for the end of its job.
    first.send(signal.SIGTERM)
    second = start(processes, CLAIM_SECONDS=2)
    assert first.wait(30) == 0
    assert (status(job_id), states(job_id)) == ("done", ["done"])
    assert {pid for _, _, pid in records.lines()} == {first.pid}
    assert "jobs_reaped" not in second.err
    second.send(signal.SIGTERM)
    assert second.wait() == 0


@pytest.mark.parametrize("isolation", ["process", pytest.param("thread", marks=pytest.mark.long)])
def test_a_frozen_worker_that_returns_after_its_job_was_taken_changes_nothing(
    processes: Processes, records: Records, isolation: str
) -> None:
    worker = start(processes, CLAIM_SECONDS=1, ISOLATION=isolation)
    job_id = records.submit(3, seconds=1)
    eventually(lambda: len(records.lines()) == 2, 30)
    worker.send(signal.SIGSTOP)
    eventually(lambda: Runner().mark_in_flight_failed("restart"))
    before = snapshot(job_id)
    assert (row(job_id).status, states(job_id)) == ("failed", ["done", "failed", "pending"])
    worker.send(signal.SIGCONT)
    eventually(lambda: "claim_lost" in worker.err)
    assert snapshot(job_id) == before
    # It is a worker like any other afterwards.
    other = records.submit(1)
    eventually(lambda: status(other) == "done")
    assert snapshot(job_id) == before
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert_sound(records)
    assert len([line for line in records.lines() if line[0] == job_id]) == 2


def test_a_frozen_worker_whose_job_nobody_took_goes_on_with_it(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, CLAIM_SECONDS=1)
    job_id = records.submit(3, seconds=0.3)
    eventually(lambda: records.lines())
    worker.send(signal.SIGSTOP)
    eventually(lambda: row(job_id).claim_expires_at < timezone.now() - timedelta(seconds=0.5))
    worker.send(signal.SIGCONT)
    eventually(lambda: status(job_id) == "done")
    assert states(job_id) == ["done"] * 3
    assert_sound(records)
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0


def test_what_a_child_answered_in_time_is_kept_though_its_worker_was_frozen(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, ISOLATION="process", TARGET_TIMEOUT_SECONDS=2)
    job_id = records.submit(1, seconds=1)
    eventually(lambda: records.lines(), 30)
    worker.send(signal.SIGSTOP)
    time.sleep(4)
    worker.send(signal.SIGCONT)
    eventually(all_terminal, 30)
    assert [(target.status, target.code) for target in rows(job_id)] == [("done", "")]
    assert ended(worker)
    assert_sound(records)


def test_the_child_of_a_frozen_worker_ends_soon_after_its_targets_time(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, ISOLATION="process", TARGET_TIMEOUT_SECONDS=1)
    job_id = records.submit(2, seconds=60)
    eventually(lambda: records.lines(), 30)
    worker.send(signal.SIGSTOP)
    pid = records.lines()[0][2]
    eventually(lambda: not Path(f"/proc/{pid}").exists(), 30)
    assert status(job_id) == "running"
    worker.send(signal.SIGCONT)
    eventually(lambda: status(job_id) == "failed", 30)
    assert [target.code for target in rows(job_id)] == ["target_timeout"] * 2
    assert ended(worker)
    assert_sound(records)


def test_workers_that_were_frozen_together_leave_each_others_jobs_alone(
    processes: Processes, records: Records
) -> None:
    """As those of a machine that slept: the first to wake finds the other's claim run out."""
    workers = [start(processes, "--slots", "1", CLAIM_SECONDS=2) for _ in range(2)]
    ids = [records.submit(3, seconds=1) for _ in workers]
    eventually(lambda: len(records.lines()) == 2, 30)
    for worker in workers:
        worker.send(signal.SIGSTOP)
    late = timedelta(seconds=0.5)
    eventually(lambda: all(row(each).claim_expires_at < timezone.now() - late for each in ids))
    for worker in workers:
        worker.send(signal.SIGCONT)
        time.sleep(0.2)
    eventually(lambda: [status(each) for each in ids] == ["done", "done"], 30)
    for worker in workers:
        worker.send(signal.SIGTERM)
    assert [worker.wait() for worker in workers] == [0, 0]
    assert_sound(records)


@pytest.mark.parametrize(("after_outage", "left"), [(True, "running"), (False, "failed")])
def test_a_worker_that_had_to_wait_for_the_database_lets_others_renew_first(
    after_outage: bool, left: str
) -> None:
    job_id = submit(2)
    claim(job_id, hold=timedelta(seconds=-1))
    settings = replace(conf.settings(), isolation="thread")
    worker = Worker(FakeFetch(), settings, exit_when_idle=True)
    assert worker.run(after_outage=after_outage)
    assert status(job_id) == left


@pytest.mark.only_on("postgres")
def test_a_dead_job_whose_row_a_frozen_transaction_holds_keeps_nobody_waiting() -> None:
    held, free = submit(1), submit(1, caller="bob")
    for job_id in (held, free):
        claim(job_id, hold=timedelta(seconds=-1))
    locked, over = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(using=ALIAS):
            BatchJob.objects.using(ALIAS).select_for_update().get(id=held)
            locked.set()
            over.wait(30)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(10)
        assert Runner().mark_in_flight_failed("restart") == 1
        assert (status(held), status(free)) == ("running", "failed")
    finally:
        over.set()
        holder.join()
    assert Runner().mark_in_flight_failed("restart") == 1


def test_a_dead_workers_job_is_failed_by_a_living_one_and_its_caller_goes_on(
    processes: Processes, records: Records
) -> None:
    first, second = start(processes, CLAIM_SECONDS=1, wait=False), None
    job_id = records.submit(3, seconds=1)
    eventually(lambda: len(records.lines()) == 2, 30)
    first.send(signal.SIGKILL)
    first.wait()
    second = start(processes, CLAIM_SECONDS=1)
    waiting = records.submit(1)
    eventually(lambda: status(job_id) == "failed")
    eventually(lambda: status(waiting) == "done")
    assert (row(job_id).error, states(job_id)) == ("restart", ["done", "failed", "pending"])
    assert (rows(job_id)[1].error, rows(job_id)[1].code) == ("restart", "restart")
    assert rows(job_id)[0].result["content"] == "0"
    assert_sound(records)
    second.send(signal.SIGTERM)
    assert second.wait() == 0


def test_the_sole_worker_fails_at_once_what_its_forerunner_left(
    processes: Processes, records: Records
) -> None:
    first = start(processes)
    job_id = records.submit(2, seconds=60)
    eventually(lambda: records.lines())
    first.send(signal.SIGKILL)
    first.wait()
    waiting = records.submit(1)
    second = start(processes, "--sole", "--exit-when-idle", wait=False)
    assert second.wait() == 0
    assert (status(job_id), status(waiting)) == ("failed", "done")


def test_a_job_with_a_spoiled_row_harms_no_other(processes: Processes, records: Records) -> None:
    spoiled, empty = records.submit(2), records.submit(2)
    BatchTarget.objects.filter(job_id=spoiled, idx=0).update(options={"no such": "option"})
    BatchTarget.objects.filter(job_id=empty).delete()
    change(empty, targets_total=0)
    other = records.submit(2)
    worker = start(processes, "--slots", "1", "--exit-when-idle", wait=False)
    assert worker.wait() == 0
    assert (status(spoiled), status(empty), status(other)) == ("partial", "failed", "done")


def killed_again_and_again(
    processes: Processes, records: Records, kills: int, jobs: int, isolation: str
) -> None:
    for _ in range(jobs):
        records.submit(3, seconds=0.02)
    stored = Stored()
    for _ in range(kills):
        worker = start(processes, "--sole", ISOLATION=isolation, CHILD_DJANGO=False)
        time.sleep(random.uniform(0.02, 0.4))
        stored.look()
        worker.send(signal.SIGKILL)
        worker.wait()
    last = start(processes, "--sole", "--exit-when-idle", wait=False, ISOLATION=isolation)
    assert last.wait(120) == 0
    assert all_terminal()
    assert_sound(records, stored)
    cut_off = BatchJob.objects.filter(status="failed")
    assert set(cut_off.values_list("error", flat=True)) <= {"restart"}
    assert cut_off.count() <= kills * 4


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_the_only_worker_is_killed_many_times_and_nothing_is_lost_or_done_twice(
    processes: Processes, records: Records, isolation: str
) -> None:
    kills = rounds(20)
    killed_again_and_again(processes, records, kills, kills * 10, isolation)
