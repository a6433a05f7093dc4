"""MariaDB: sessions that time out, and other levels of isolation in the worker."""

import os
import signal
import time
from urllib.parse import quote

import pytest

from tests.concurrency import eventually
from tests.faults.workers import Records, start, status
from tests.processes import Process, Processes
from tests.rules.jobs import states

pytestmark = [pytest.mark.only_on("mariadb"), pytest.mark.django_db(transaction=True)]


def start_with(processes: Processes, query: str, **batch: str) -> Process:
    url = os.environ.get("TEST_MARIADB_URL", "mysql://root@127.0.0.1:3306/test")
    os.environ["TEST_MARIADB_URL"] = f"{url}?{query}"
    try:
        return start(processes, **batch)
    finally:
        os.environ["TEST_MARIADB_URL"] = url


@pytest.mark.parametrize("isolation", ["thread", pytest.param("process", marks=pytest.mark.long)])
def test_sessions_that_time_out_lose_nothing(
    processes: Processes, records: Records, isolation: str
) -> None:
    patience = quote("SET SESSION wait_timeout = 1")
    worker = start_with(processes, f"init_command={patience}", ISOLATION=isolation)
    for _ in range(2):
        job_id = records.submit(1, seconds=2.5)
        eventually(lambda job_id=job_id: status(job_id) == "done", 30)
        assert states(job_id) == ["done"]
        # The slot's connection times out while it waits for the next job.
        time.sleep(2)
    assert not records.twice()
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0, worker.err


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_worker_at_another_level_of_isolation_finds_every_job(
    processes: Processes, records: Records, level: str
) -> None:
    worker = start_with(processes, f"isolation_level={quote(level)}")
    ids = [records.submit(3, seconds=0.02) for _ in range(6)]
    eventually(lambda: all(status(job_id) == "done" for job_id in ids), 30)
    late = records.submit(1)
    eventually(lambda: status(late) == "done", 30)
    assert "Traceback" not in worker.err
    assert not records.twice()
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
