"""Workers that outlive an outage of their database."""

import time
from typing import Any

import psutil

from batch.models import BatchJob, BatchTarget
from tests.concurrency import eventually
from tests.faults.servers import MariaDB, Postgres
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status, told
from tests.processes import Process, Processes

LINES_A_MINUTE = 20
TARGETS = 12  # of each job: it lasts until the server is stopped
PROCESSOR = 0.05  # of one, while it waits


def lines(worker: Process) -> int:
    return len(worker.err.splitlines())


def outlive(
    processes: Processes, records: Records, server: Postgres | MariaDB, seconds: float
) -> None:
    """The server is stopped for so long: with four slots in use, in threads and with children, and
    with none. Nothing is lost, little is used and little is written to the log."""
    options: dict[str, Any] = {"env": server.env, "CHILD_DJANGO": False}
    busy = [start(processes, **options, ISOLATION=kind) for kind in ("thread", "process")]
    for _ in range(8):
        records.submit(TARGETS, seconds=1)
    eventually(lambda: len(records.lines()) >= 8)
    idle = start(processes, **options)
    workers = [*busy, idle]
    process = psutil.Process(idle.pid)
    time.sleep(1)
    stored = Stored()
    stored.look()
    assert BatchJob.objects.live().count() == 8  # every slot of the busy ones is in use
    before, written = process.cpu_times(), [lines(worker) for worker in workers]
    server.stop()
    time.sleep(seconds)
    after = process.cpu_times()
    more = [lines(worker) - had for worker, had in zip(workers, written, strict=True)]
    server.start()
    assert all(1 <= count < seconds / 60 * LINES_A_MINUTE for count in more), more
    assert after.user + after.system - before.user - before.system < seconds * PROCESSOR
    eventually(all_terminal, 90)
    eventually(lambda: all(told(worker, "database_back") for worker in workers), 30)
    assert len(records.lines()) == 8 * TARGETS
    assert not BatchTarget.objects.exclude(status="done").exists()
    late = records.submit(1)
    eventually(lambda: status(late) == "done", 30)
    assert_sound(records, stored)
    assert all(ended(worker) for worker in workers)
