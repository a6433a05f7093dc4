"""PostgreSQL goes away: for a moment, during a fetch, for a long while."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import psycopg
import pytest

from tests.concurrency import eventually
from tests.databases import ALIAS, NAMES_VARIABLE
from tests.faults.workers import Records
from tests.postgres import Cluster
from tests.processes import Process, Processes

# The `db` of this run is not used; it marks the tests as those that need a server.
pytestmark = [
    pytest.mark.only_on("postgres"),
    pytest.mark.not_with("pgbouncer"),
    pytest.mark.django_db,
]


class Server:
    """A server of the test's own, which it may stop."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.url = cluster.url
        self.env = {
            "TEST_POSTGRES_URL": self.url,
            NAMES_VARIABLE: json.dumps({"default": "postgres", ALIAS: "postgres"}),
        }

    def ask(self, sql: str, *values: Any) -> list[Any]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def end_backends(self) -> None:
        self.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    def submit(self, processes: Processes, records: Records, count: int, seconds: float) -> str:
        command = processes.manage(
            "batch_submit",
            *[f"https://e.com/{time.monotonic_ns()}/{i}" for i in range(count)],
            "--option",
            f"question={records.path}",
            "--option",
            f"pages={seconds:g}",
            "--caller",
            f"caller {time.monotonic_ns()}",
            env=self.env,
        )
        assert command.wait() == 0, command.err
        return command.out.strip()

    def status(self, job_id: str) -> str:
        return str(self.ask("SELECT status FROM batch_batchjob WHERE id = %s", job_id)[0][0])

    def states(self, job_id: str) -> list[str]:
        found = self.ask(
            "SELECT status FROM batch_batchtarget WHERE job_id = %s ORDER BY idx", job_id
        )
        return [str(status) for (status,) in found]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    # Not below pytest's own folder: each run of pytest closes that to other users, and the server
    # is one.
    with TemporaryDirectory(prefix="sift_batch_outages_") as folder:
        cluster = Cluster(Path(folder) / "postgres")
        cluster.start()
        yield cluster
        cluster.stop()


@pytest.fixture
def server(cluster: Cluster, processes: Processes) -> Server:
    server = Server(cluster)
    if not server.ask("SELECT 1 FROM pg_tables WHERE tablename = 'batch_batchjob'"):
        command = processes.manage(
            "migrate", "batch", "--database", ALIAS, "--verbosity", "0", env=server.env
        )
        assert command.wait() == 0, command.err
    server.ask("TRUNCATE batch_batchjob, batch_batchworker CASCADE")
    return server


def start(processes: Processes, server: Server, *args: str, **batch: Any) -> Process:
    batch = {"FETCH": "tests.fetches.record", "ISOLATION": "thread", **batch}
    worker = processes.manage("batch_worker", *args, batch=batch, env=server.env)
    eventually(lambda: "worker_started" in worker.err or worker.popen.poll() is not None, 30)
    assert worker.popen.poll() is None, worker.err
    return worker


def restart(server: Server) -> None:
    server.cluster.stop()
    time.sleep(1.5)
    server.cluster.start()


@pytest.mark.parametrize(
    ("fault", "isolation"),
    [
        (restart, "process"),
        (Server.end_backends, "thread"),
        pytest.param(restart, "thread", marks=pytest.mark.long),
        pytest.param(Server.end_backends, "process", marks=pytest.mark.long),
    ],
)
def test_an_outage_during_a_fetch_loses_no_outcome_and_repeats_no_fetch(
    processes: Processes,
    records: Records,
    server: Server,
    fault: Callable[[Server], None],
    isolation: str,
) -> None:
    worker = start(processes, server, ISOLATION=isolation, CHILD_DJANGO=False)
    job_id = server.submit(processes, records, 3, 1)
    eventually(lambda: len(records.lines()) == 2)
    fault(server)
    eventually(lambda: server.status(job_id) == "done", 30)
    assert server.states(job_id) == ["done"] * 3
    assert [idx for _, idx, _ in records.lines()] == [0, 1, 2]
    # The worker's wake-up connection was cut as well, and a job is found all the same.
    other = server.submit(processes, records, 1, 0)
    eventually(lambda: server.status(other) == "done")
    assert "Traceback" not in worker.err
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0, worker.err


def test_the_end_of_the_wake_up_connection_alone_is_no_outage(
    processes: Processes, records: Records, server: Server
) -> None:
    worker = start(processes, server, "--poll", "0.5")
    eventually(lambda: server.ask("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"))
    server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'")
    job_id = server.submit(processes, records, 1, 0)
    eventually(lambda: server.status(job_id) == "done", 5)
    assert "database_away" not in worker.err
    # It listens again after a while.
    eventually(lambda: server.ask("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"), 15)
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0


def test_a_child_with_django_gets_a_new_connection_when_its_own_was_cut(
    processes: Processes, records: Records, server: Server
) -> None:
    worker = start(
        processes,
        server,
        "--slots",
        "1",
        ISOLATION="process",
        CHILD_DJANGO=True,
        FETCH="tests.fetches.use_the_database",
    )
    ids = []
    for _ in range(2):
        ids.append(server.submit(processes, records, 2, 0))
        eventually(lambda: server.status(ids[-1]) not in ("queued", "running"))
        server.end_backends()
    assert [server.states(job_id) for job_id in ids] == [["done", "done"]] * 2, worker.err
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0


@pytest.mark.long
def test_a_worker_that_is_told_to_stop_during_an_outage_stops(
    processes: Processes, records: Records, server: Server
) -> None:
    worker = start(processes, server, "--grace", "1")
    server.submit(processes, records, 2, 0.5)
    eventually(lambda: records.lines())
    server.cluster.stop()
    try:
        eventually(lambda: "database_away" in worker.err or "outcome_waits" in worker.err, 20)
        began = time.monotonic()
        worker.send(signal.SIGTERM)
        assert worker.wait(40) == 3, worker.err
        assert time.monotonic() - began < 30
    finally:
        server.cluster.start()


@pytest.mark.not_with("pool")  # which logs each try of its own
@pytest.mark.parametrize(
    "command", ["batch_status", pytest.param("batch_worker", marks=pytest.mark.long)]
)
def test_a_command_without_a_database_says_so_in_one_line(
    processes: Processes, server: Server, command: str
) -> None:
    env = {**server.env, "TEST_POSTGRES_URL": "postgres://postgres@127.0.0.1:1/none"}
    batch = {"FETCH": "tests.fetches.record", "ISOLATION": "thread"}
    process = processes.manage(command, batch=batch, env=env)
    assert process.wait(60) == 1
    (line,) = process.err.splitlines()
    assert "database" in line
    assert "Traceback" not in line


@pytest.mark.long
def test_a_long_outage_while_idle_costs_little_and_ends_by_itself(
    processes: Processes, records: Records, server: Server
) -> None:
    worker = start(processes, server)
    process = psutil.Process(worker.pid)
    time.sleep(1)
    before, lines = process.cpu_times(), len(worker.err.splitlines())
    server.cluster.stop()
    time.sleep(25)
    after = process.cpu_times()
    spent = after.user + after.system - before.user - before.system
    assert spent < 25 * 0.05
    assert 1 <= len(worker.err.splitlines()) - lines < 15, worker.err
    server.cluster.start()
    eventually(lambda: "database_back" in worker.err, 30)
    job_id = server.submit(processes, records, 1, 0)
    eventually(lambda: server.status(job_id) == "done")
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
