"""Jobs drained by real Celery workers, over each broker."""

import signal

import pytest
from celery import Celery

from tests.celery.conftest import Start
from tests.concurrency import eventually
from tests.faults.workers import Records, status
from tests.rules.jobs import row, states


def test_jobs_are_drained_by_a_worker_with_threads_each_in_order(
    start: Start, records: Records
) -> None:
    worker = start()
    jobs = [records.submit(3) for _ in range(2)]
    eventually(lambda: [status(job) for job in jobs] == ["done"] * 2, 60)
    for job_id in jobs:
        assert [idx for job, idx, _ in records.lines() if job == job_id] == [0, 1, 2]
        assert row(job_id).worker == ""
    # In children, which can be killed at their limits.
    assert worker.pid not in {pid for _, _, pid in records.lines()}


def test_a_job_whose_message_comes_three_times_is_drained_once(
    start: Start, app: Celery, records: Records
) -> None:
    worker = start(ISOLATION="thread")
    job_id = records.submit(2, seconds=0.5)
    for _ in range(2):
        app.send_task("batch.drain", args=[job_id])
    eventually(lambda: worker.err.count("not_drained") == 2, 30)
    eventually(lambda: status(job_id) == "done", 30)
    assert [(job, idx) for job, idx, _ in records.lines()] == [(job_id, 0), (job_id, 1)]


@pytest.mark.parametrize("broker", ["rabbitmq"], indirect=True)
def test_a_worker_told_to_stop_lets_the_job_in_hand_end(start: Start, records: Records) -> None:
    worker = start(ISOLATION="thread")
    job_id = records.submit(3, seconds=0.5)
    eventually(records.lines, 30)
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert (status(job_id), states(job_id)) == ("done", ["done"] * 3)
