"""PostgreSQL behind a PgBouncer in transaction mode: each transaction may have another session."""

import os
import time

import psycopg
import pytest

from batch.moves import writes
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.concurrency import eventually, run_threads
from tests.connection import connection
from tests.faults.workers import Records, start, status
from tests.processes import Processes
from tests.rules.jobs import ROOMY, states, submit, targets

pytestmark = [pytest.mark.only_on("pgbouncer"), pytest.mark.django_db(transaction=True)]
CLIENTS = 8  # twice the sessions that this PgBouncer has


def sessions() -> int:
    """The server's process behind this connection, which is asked anew in each transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), pg_sleep(0.02)")
        return int(cursor.fetchone()[0])


def test_transactions_of_one_connection_are_in_several_sessions() -> None:
    seen = run_threads(CLIENTS, lambda i: {sessions() for _ in range(10)})
    assert max(len(pids) for pids in seen) > 1


@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
def test_jobs_are_drained_side_by_side(
    told: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writes, "_unprepared", set())
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", told)
    ids = [submit(10) for _ in range(CLIENTS)]
    drained = run_threads(CLIENTS, lambda i: Runner(FakeFetch(), ROOMY).drain(ids[i]))
    assert drained == [True] * CLIENTS
    assert [states(job_id) for job_id in ids] == [["done"] * 10] * CLIENTS
    warned = [record.message for record in caplog.records if record.levelname == "WARNING"]
    # Once, or by each that ran into it at that moment.
    assert set(warned) == (set() if told else {"statement_not_prepared"})
    assert len(warned) <= CLIENTS


def test_sessions_that_end_during_a_fetch_lose_nothing() -> None:
    fetch = FakeFetch()

    def cutting(context: FetchContext, target: Target) -> Result:
        with psycopg.connect(os.environ["TEST_POSTGRES_URL"], autocommit=True) as direct:
            direct.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [connection.settings_dict["NAME"]],
            )
        return fetch(context, target)

    runner = Runner(cutting, ROOMY)
    job_id = runner.submit("ann", "", targets(4)).id
    assert runner.drain(job_id)
    assert states(job_id) == ["done"] * 4
    assert len(fetch.calls) == 4


def test_a_worker_polls_and_says_nothing_of_it(processes: Processes, records: Records) -> None:
    worker = start(processes)
    job_id = records.submit(3)
    eventually(lambda: status(job_id) == "done")
    warned = [line for line in worker.err.splitlines() if " WARNING " in line]
    assert [line for line in warned if "limits_not_enforced" not in line] == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'")
        assert cursor.fetchone() == (0,)


def test_a_worker_with_a_direct_connection_is_woken_by_submits_behind_it(
    processes: Processes, records: Records
) -> None:
    settings = {"FETCH": "tests.fetches.record", "ISOLATION": "thread"}
    worker = processes.manage("batch_worker", "--poll", "30", batch=settings, env={"TEST_WITH": ""})
    eventually(lambda: "worker_started" in worker.err, 30)
    time.sleep(0.5)
    job_id = records.submit(1)
    eventually(lambda: status(job_id) == "done", 10)
