"""Process isolation under a real worker process, whose children live and die with it."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from batch.runner import Runner
from batch.types import Target
from tests.concurrency import eventually
from tests.faults.workers import Records, start, status
from tests.processes import Process, Processes
from tests.rules.jobs import ROOMY, row, rows, states, submit

# Processes, and nothing of a database.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.only_on("sqlite")]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path)


def end(worker: Process) -> int:
    worker.send(signal.SIGTERM)
    return worker.wait(30)


def child_pid(records: Records) -> int:
    return int(eventually(lambda: records.lines() and records.lines()[-1][2], 30))


def test_a_child_without_django_sees_little_of_the_environment(processes: Processes) -> None:
    job_id = submit(1)
    worker = start(
        processes,
        FETCH="tests.fetches.environment",
        ISOLATION="process",
        CHILD_DJANGO=False,
    )
    eventually(lambda: status(job_id) == "done")
    meta = rows(job_id)[0].result["meta"]
    assert meta["django"] is False
    allowed = {"PATH", "LANG", "TZ", "TMPDIR"}
    seen = {
        name
        for name in meta["environment"]
        if name not in allowed and not name.startswith(("LC_", "SSL_CERT_"))
    }
    assert not seen
    assert "PATH" in meta["environment"]
    assert end(worker) == 0


def test_a_child_with_django_sees_everything_and_may_ask_the_database(
    processes: Processes,
) -> None:
    settings = {"ISOLATION": "process", "CHILD_DJANGO": True}
    job_id = submit(2)
    worker = start(processes, FETCH="tests.fetches.environment", **settings)
    eventually(lambda: status(job_id) == "done")
    meta = rows(job_id)[0].result["meta"]
    assert meta["django"] is True
    assert meta["environment"]["SECRET_KEY"]
    assert end(worker) == 0
    job_id = submit(3)
    worker = start(processes, FETCH="tests.fetches.use_the_database", **settings)
    eventually(lambda: status(job_id) == "done")
    assert [target.result["content"] for target in rows(job_id)] == ["running"] * 3
    assert end(worker) == 0


def test_harm_leaves_the_workers_pid_as_it_was_and_the_next_target_done(
    processes: Processes, records: Records
) -> None:
    names = ["exit-1", "segfault", "hang", "grow", "fine"]
    worker = start(
        processes,
        FETCH="tests.fetches.harm",
        ISOLATION="process",
        CHILD_DJANGO=False,
        TARGET_TIMEOUT_SECONDS=1,
        TARGET_MEMORY_BYTES=200 * 1024**2,
    )
    given = [Target(f"https://e.com/{name}") for name in names]
    job_id = Runner(config=ROOMY).submit("ann", "", given).id
    before = eventually(lambda: row(job_id).worker)
    eventually(lambda: status(job_id) == "partial")
    assert states(job_id) == ["failed"] * 4 + ["done"]
    assert worker.popen.poll() is None
    assert f":{worker.pid}:" in before
    assert end(worker) == 0


def fetching(processes: Processes, records: Records, fetch: str) -> tuple[Process, psutil.Process]:
    """A worker, and its child that fetches for long."""
    worker = start(
        processes,
        FETCH=f"tests.fetches.{fetch}",
        ISOLATION="process",
        CHILD_DJANGO=False,
        TARGET_TIMEOUT_SECONDS=2 if fetch == "hold_the_gil" else 60,
    )
    records.submit(1, seconds=60 if fetch == "record" else 0)
    return worker, psutil.Process(child_pid(records))


@pytest.mark.parametrize(
    ("fetch", "before"),
    [
        ("record", "fetches"),
        ("hold_the_gil", "fetches"),
        pytest.param("record", "is stopped", marks=pytest.mark.long),
        pytest.param("hold_the_gil", "has lost its parent", marks=pytest.mark.long),
    ],
)
def test_a_child_dies_with_its_worker(
    processes: Processes, records: Records, fetch: str, before: str
) -> None:
    worker, child = fetching(processes, records, fetch)
    everything = psutil.Process(worker.pid).children(recursive=True)
    assert child in everything
    if before == "is stopped":
        child.suspend()
    if before == "has lost its parent":
        child.parent().kill()
    worker.send(signal.SIGKILL)
    worker.wait()
    # C code cannot be told, and without its parent its limit of processor time ends it.
    seconds = 40 if before == "has lost its parent" else 3
    eventually(lambda: not any(one.is_running() for one in everything), seconds)


def test_a_sigterm_to_the_whole_group_lets_the_children_end_their_targets(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, ISOLATION="process", CHILD_DJANGO=False)
    job_id = records.submit(3, seconds=0.4)
    child_pid(records)
    for process in [psutil.Process(worker.pid), *psutil.Process(worker.pid).children(True)]:
        process.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert (status(job_id), states(job_id)) == ("done", ["done"] * 3)


def test_a_ctrl_c_at_the_terminal_lets_the_children_end_their_targets(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, ISOLATION="process", CHILD_DJANGO=False)
    job_id = records.submit(2, seconds=0.5)
    child_pid(records)
    # A terminal sends it to its foreground group, which is the worker's.
    os.killpg(worker.pid, signal.SIGINT)
    assert worker.wait(30) == 0
    assert (status(job_id), states(job_id)) == ("done", ["done"] * 2)


def test_after_the_grace_a_target_in_flight_is_cut_off_and_its_child_killed(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, "--grace", "0.5", ISOLATION="process", CHILD_DJANGO=False)
    job_id = records.submit(2, seconds=60)
    child = psutil.Process(child_pid(records))
    began = time.monotonic()
    assert end(worker) == 3
    assert time.monotonic() - began < 10
    assert not child.is_running()
    assert (row(job_id).status, row(job_id).error) == ("failed", "restart")
    assert states(job_id) == ["failed", "pending"]
