"""MariaDB: it goes away, sessions time out, and workers use other levels of isolation."""

import os
import time
from urllib.parse import quote

import pytest

from batch.models import BatchTarget
from tests.concurrency import eventually, rounds
from tests.faults.outages import outlive
from tests.faults.servers import MariaDB, restart
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status
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
    assert_sound(records)
    assert ended(worker)


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_worker_at_another_level_of_isolation_finds_every_job(
    processes: Processes, records: Records, level: str
) -> None:
    worker = start_with(processes, f"isolation_level={quote(level)}")
    ids = [records.submit(3, seconds=0.02) for _ in range(6)]
    eventually(lambda: all(status(job_id) == "done" for job_id in ids), 30)
    late = records.submit(1)
    eventually(lambda: status(late) == "done", 30)
    assert_sound(records)
    assert ended(worker)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_server_that_restarts_or_is_killed_loses_no_outcome(
    processes: Processes, records: Records, mariadb: MariaDB
) -> None:
    workers = [
        start(processes, env=mariadb.env, ISOLATION=kind, CHILD_DJANGO=False)
        for kind in ("thread", "process")
    ]
    for _ in range(8):
        records.submit(15, seconds=0.3)
    stored = Stored()
    eventually(lambda: len(records.lines()) >= 16)
    stored.look()
    restart(mariadb)
    eventually(lambda: len(records.lines()) >= 32, 60)
    stored.look()
    mariadb.stop(kill=True)
    mariadb.start()
    eventually(all_terminal, 90)
    assert len(records.lines()) == 8 * 15
    assert not BatchTarget.objects.exclude(status="done").exists()
    assert_sound(records, stored)
    assert all(ended(worker) for worker in workers)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_long_outage_loses_nothing_costs_little_and_fills_no_log(
    processes: Processes, records: Records, mariadb: MariaDB
) -> None:
    seconds = 20 if rounds(3) < 3 else 60
    outlive(processes, records, mariadb, seconds)
