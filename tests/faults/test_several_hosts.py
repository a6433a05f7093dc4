"""Workers on several hosts, and one PostgreSQL that they reach over TCP."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.concurrency import eventually, rounds
from tests.faults.hosts import Hosts, why_not
from tests.faults.workers import Records
from tests.processes import Processes

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

JOBS, TARGETS, SECONDS = 40, 5, 0.3
WORKER = {"FETCH": "tests.fetches.record", "ISOLATION": "thread", "CLAIM_SECONDS": 2}
SUBMIT = """
import sys
import django
django.setup()
from batch.runner import Runner
from batch.types import Options, Target
from tests.rules.jobs import ROOMY
path, seconds, jobs, targets, name = sys.argv[1:]
options = Options(question=path, pages=seconds)
for job in range(int(jobs)):
    given = [Target(f"https://e.com/{name}/{job}/{i}", options) for i in range(int(targets))]
    Runner(config=ROOMY).submit("ann", "", given)
"""
IN_HAND = "SELECT id FROM batch_batchjob WHERE status = 'running' AND worker LIKE %s"
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


def test_a_host_that_is_cut_off_loses_its_jobs_and_harms_nothing_when_it_returns(
    hosts: Hosts, processes: Processes, records: Records
) -> None:
    command = ("batch_worker", "--slots", "2", "--poll", "0.2")
    workers = {
        number: [hosts.manage(processes, number, *command, **WORKER) for _ in range(2)]
        for number in (1, 2, 3)
    }
    eventually(lambda: len(hosts.ask("SELECT name FROM batch_batchworker")) == 6, 60)
    names = [name.partition(":")[0] for (name,) in hosts.ask("SELECT name FROM batch_batchworker")]
    assert sorted(names) == ["host1", "host1", "host2", "host2", "host3", "host3"]
    for turn in range(rounds(6)):
        cut = turn % 3 + 1
        submit(hosts, processes, records, f"{turn}")
        eventually(lambda cut=cut: len(in_hand(hosts, cut)) == 4, 30)
        hosts.unplug(cut)
        lost = in_hand(hosts, cut)
        assert lost
        eventually(lambda lost=lost: hosts.ask(STATES, lost) == [("failed", "restart", len(lost))])
        reaped = rows(hosts, lost)
        hosts.plug_in(cut)
        # What it stores of them is refused, and it is a host like any other again.
        eventually(
            lambda cut=cut, turn=turn: all(
                w.err.count("claim_lost") > turn // 3 for w in workers[cut]
            ),
            60,
        )
        submit(hosts, processes, records, f"{turn} again")
        eventually(lambda cut=cut: in_hand(hosts, cut), 30)
        eventually(lambda: hosts.ask(LIVE) == [(0,)], 120)
        assert rows(hosts, lost) == reaped
        assert not records.twice()
        left = "SELECT status, count(*) FROM batch_batchjob WHERE id <> ALL(%s) GROUP BY 1"
        every_lost = [
            job for (job,) in hosts.ask("SELECT id FROM batch_batchjob WHERE error <> ''")
        ]
        assert set(lost) <= set(every_lost)
        assert len(every_lost) <= 4 * (turn + 1)
        done = 2 * JOBS * (turn + 1) - len(every_lost)
        assert hosts.ask(left, every_lost) == [("done", done)]
    assert all(w.popen.poll() is None for each in workers.values() for w in each)
