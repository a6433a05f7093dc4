"""PostgreSQL goes away: for a moment, during a fetch, for a long while."""

import signal
import time
from collections.abc import Callable

import pytest

from tests.concurrency import eventually, rounds
from tests.faults.outages import outlive
from tests.faults.servers import Postgres, restart
from tests.faults.verdict import assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status, told
from tests.processes import Processes
from tests.rules.jobs import states

# The `db` of this run is not used; it marks the tests as those that need a server.
pytestmark = [
    pytest.mark.only_on("postgres"),
    pytest.mark.not_with("pgbouncer"),
    pytest.mark.django_db,
]

LISTENING = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"


@pytest.mark.parametrize(
    ("fault", "isolation"),
    [
        (restart, "process"),
        (Postgres.end_backends, "thread"),
        pytest.param(restart, "thread", marks=pytest.mark.long),
        pytest.param(Postgres.end_backends, "process", marks=pytest.mark.long),
    ],
)
def test_an_outage_during_a_fetch_loses_no_outcome_and_repeats_no_fetch(
    processes: Processes,
    records: Records,
    postgres: Postgres,
    fault: Callable[[Postgres], None],
    isolation: str,
) -> None:
    worker = start(processes, env=postgres.env, ISOLATION=isolation, CHILD_DJANGO=False)
    job_id = records.submit(3, seconds=1)
    eventually(lambda: len(records.lines()) == 2)
    fault(postgres)
    eventually(lambda: status(job_id) == "done", 30)
    assert states(job_id) == ["done"] * 3
    assert [idx for _, idx, _ in records.lines()] == [0, 1, 2]
    # The worker's wake-up connection was cut as well, and a job is found all the same.
    other = records.submit(1)
    eventually(lambda: status(other) == "done")
    assert_sound(records)
    assert ended(worker)


def test_the_end_of_the_wake_up_connection_alone_is_no_outage(
    processes: Processes, records: Records, postgres: Postgres
) -> None:
    worker = start(processes, "--poll", "0.5", env=postgres.env)
    eventually(lambda: postgres.ask(LISTENING))
    postgres.ask(LISTENING.replace("1", "pg_terminate_backend(pid)"))
    job_id = records.submit(1)
    eventually(lambda: status(job_id) == "done", 5)
    assert not told(worker, "database_away")
    # It listens again after a while.
    eventually(lambda: postgres.ask(LISTENING), 15)
    assert ended(worker)


def test_a_child_with_django_gets_a_new_connection_when_its_own_was_cut(
    processes: Processes, records: Records, postgres: Postgres
) -> None:
    worker = start(
        processes,
        "--slots",
        "1",
        env=postgres.env,
        ISOLATION="process",
        CHILD_DJANGO=True,
        FETCH="tests.fetches.use_the_database",
    )
    ids = []
    for _ in range(2):
        ids.append(records.submit(2))
        eventually(lambda: status(ids[-1]) not in ("queued", "running"))
        postgres.end_backends()
    assert [states(job_id) for job_id in ids] == [["done", "done"]] * 2, worker.err
    assert ended(worker)


@pytest.mark.long
def test_a_worker_that_is_told_to_stop_during_an_outage_stops(
    processes: Processes, records: Records, postgres: Postgres
) -> None:
    worker = start(processes, "--grace", "1", env=postgres.env, CLAIM_SECONDS=2)
    records.submit(2, seconds=0.5)
    eventually(lambda: records.lines())
    postgres.stop()
    try:
        eventually(lambda: told(worker, "database_away"), 20)
        began = time.monotonic()
        worker.send(signal.SIGTERM)
        assert worker.wait(40) == 3, worker.err
        assert time.monotonic() - began < 30
    finally:
        postgres.start()
    # Whoever comes next fails what it could not.
    other = start(processes, env=postgres.env, CLAIM_SECONDS=2)
    eventually(all_terminal, 30)
    assert_sound(records)
    assert ended(other)


@pytest.mark.parametrize(
    "command", ["batch_status", pytest.param("batch_worker", marks=pytest.mark.long)]
)
def test_a_command_without_a_database_says_so_in_one_line(
    processes: Processes, command: str
) -> None:
    env = {"TEST_POSTGRES_URL": "postgres://postgres@127.0.0.1:1/none"}
    batch = {"FETCH": "tests.fetches.record", "ISOLATION": "thread"}
    process = processes.manage(command, batch=batch, env=env)
    assert process.wait(60) == 1
    # Django's pool has a log of its own tries, of which it says more than one line.
    (line,) = (said for said in process.err.splitlines() if " psycopg.pool " not in said)
    assert "database" in line
    assert "Traceback" not in line


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_long_outage_loses_nothing_costs_little_and_fills_no_log(
    processes: Processes, records: Records, postgres: Postgres
) -> None:
    seconds = 20 if rounds(3) < 3 else 60
    outlive(processes, records, postgres, seconds)
