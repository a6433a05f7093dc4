"""Workers on several hosts, and one PostgreSQL that they reach over TCP."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.concurrency import eventually, rounds
from tests.faults.hosts import Hosts, why_not
from tests.faults.workers import Records
from tests.processes import Process, Processes

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

JOBS, TARGETS, SECONDS = 40, 5, 0.3
WORKER = {"FETCH": "tests.fetches.record", "ISOLATION": "thread", "CLAIM_SECONDS": 3}
SUBMIT = """
import sys
import django
django.setup()
from django.db import transaction
from batch.runner import Runner
from batch.types import Options, Target
from tests.rules.jobs import ROOMY
path, seconds, jobs, targets, name = sys.argv[1:]
options = Options(question=path, pages=seconds)
with transaction.atomic():  # so that there is work for every host at once
    for job in range(int(jobs)):
        given = [Target(f"https://e.com/{name}/{job}/{i}", options) for i in range(int(targets))]
        Runner(config=ROOMY).submit("ann", "", given)
"""
IN_HAND = "SELECT id FROM batch_batchjob WHERE status = 'running' AND worker LIKE %s"
NAMES = "SELECT name FROM batch_batchworker"
IN_HANDS = "SELECT count(*) FROM batch_batchjob WHERE id = ANY(%s) AND worker <> ''"
OTHERS = "SELECT status, count(*) FROM batch_batchjob WHERE id <> ALL(%s) GROUP BY 1"
LIVE = "SELECT count(*) FROM batch_batchjob WHERE status = 'running'"
STATES = "SELECT status, error, count(*) FROM batch_batchjob WHERE id = ANY(%s) GROUP BY 1, 2"
ROWS = "SELECT j.*, t.* FROM batch_batchjob j JOIN batch_batchtarget t ON t.job_id = j.id"


@pytest.fixture
def hosts(processes: Processes) -> Iterator[Hosts]:
    if why := why_not():
        pytest.skip(why)
    # Not below pytest's own folder, which is closed to the server's user.
    with TemporaryDirectory(prefix="sift_batch_hosts_") as folder:
        made = Hosts(Path(folder), 3)
        try:
            made.start()
            migrate = made.here(processes, "manage.py", "migrate", "--verbosity", "0")
            assert migrate.wait() == 0, migrate.err
            yield made
        finally:
            processes.end_all()
            made.end()


def submit(hosts: Hosts, processes: Processes, records: Records, name: str) -> None:
    given = (str(records.path), f"{SECONDS}", f"{JOBS}", f"{TARGETS}", name)
    process = hosts.here(processes, "-c", SUBMIT, *given)
    assert process.wait() == 0, process.err


def in_hand(hosts: Hosts, number: int) -> list[Any]:
    return [job for (job,) in hosts.ask(IN_HAND, f"host{number}:%")]


def rows(hosts: Hosts, jobs: list[Any]) -> list[Any]:
    return sorted(hosts.ask(f"{ROWS} WHERE j.id = ANY(%s)", jobs), key=str)


def cancel(hosts: Hosts, job: Any) -> None:
    """As the runner does, but at this moment."""
    hosts.ask(
        "UPDATE batch_batchjob SET status = 'cancelled', finished_at = now() WHERE id = %s", job
    )


def cut_off(hosts: Hosts, number: int, workers: list[Process]) -> list[Any]:
    """Pull the cable of a host that has jobs in hand until they are taken from it, and put it in
    again; these jobs."""

    def told() -> int:
        return sum(worker.err.count("claim_lost") for worker in workers)

    before = told()
    eventually(lambda: len(in_hand(hosts, number)) > 2, 30)
    hosts.unplug(number)
    time.sleep(0.5)  # the server ends what has reached it
    lost = in_hand(hosts, number)
    assert len(lost) > 1
    # Of this one the claim's number is all that keeps a late outcome out.
    cancel(hosts, lost[0])
    eventually(lambda: hosts.ask(IN_HANDS, lost) == [(0,)], 30)
    found = sorted(hosts.ask(STATES, lost))
    assert found == [("cancelled", "", 1), ("failed", "restart", len(lost) - 1)]
    reaped = rows(hosts, lost)
    hosts.plug_in(number)
    eventually(lambda: told() == before + len(lost), 60)
    assert rows(hosts, lost) == reaped
    return lost


def test_a_host_that_is_cut_off_loses_its_jobs_and_harms_nothing_when_it_returns(
    hosts: Hosts, processes: Processes, records: Records
) -> None:
    command = ("batch_worker", "--slots", "2", "--poll", "0.2")
    workers = {
        number: [hosts.manage(processes, number, *command, **WORKER) for _ in range(2)]
        for number in (1, 2, 3)
    }
    eventually(lambda: len(hosts.ask(NAMES)) == 6, 60)
    names = sorted(name.partition(":")[0] for (name,) in hosts.ask(NAMES))
    assert names == ["host1", "host1", "host2", "host2", "host3", "host3"]
    lost: list[Any] = []
    for turn in range(1, rounds(6) + 1):
        cut = 1 + turn % 3
        submit(hosts, processes, records, f"{turn}")
        lost += cut_off(hosts, cut, workers[cut])
        reaped = rows(hosts, lost)
        submit(hosts, processes, records, f"{turn} again")
        eventually(partial(in_hand, hosts, cut), 30)  # it is a host like any other again
        eventually(lambda: hosts.ask(LIVE) == [(0,)], 120)
        assert rows(hosts, lost) == reaped
        assert not records.twice()
        assert hosts.ask(OTHERS, lost) == [("done", 2 * JOBS * turn - len(lost))]
    assert all(worker.popen.poll() is None for each in workers.values() for worker in each)
