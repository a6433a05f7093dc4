"""What beat's task puts right: jobs of dead workers, and jobs whose message is lost."""

import signal
from typing import Any

import pytest

from tests.celery.conftest import DRAINED, Start
from tests.concurrency import eventually
from tests.faults.workers import Records, status
from tests.rules.jobs import row, states


def lose(job_id: str) -> None:
    """A broker that forgets what it was told."""


@pytest.mark.parametrize("broker", ["rabbitmq"], indirect=True)
def test_the_job_of_a_killed_worker_is_failed_with_restart(start: Start, records: Records) -> None:
    worker = start(CLAIM_SECONDS=2)
    job_id = records.submit(3, seconds=60)
    eventually(records.lines, 30)
    worker.send(signal.SIGKILL)
    other = start("--beat", CLAIM_SECONDS=2)
    eventually(lambda: status(job_id) == "failed", 30)
    assert row(job_id).error == "restart"
    assert states(job_id) == ["failed", "pending", "pending"]
    eventually(lambda: "jobs_reaped jobs=1" in other.err)
    assert len(records.lines()) == 1


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_a_job_whose_message_is_lost_is_sent_again(
    start: Start, records: Records, settings: Any
) -> None:
    settings.BATCH = {**DRAINED, "DISPATCH": f"{__name__}.lose"}
    worker = start("--beat", CLAIM_SECONDS=2)
    job_id = records.submit(2)
    eventually(lambda: status(job_id) == "done", 30)
    assert "jobs_sent_again jobs=1" in worker.err
    assert not records.twice()
