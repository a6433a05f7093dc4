"""Workers and their children are killed, told to end and frozen, at moments nobody chose."""

import random
import signal
import time
from contextlib import suppress
from typing import Any

import psutil
import pytest

from tests.concurrency import eventually, rounds
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, start
from tests.processes import Process, Processes

pytestmark = pytest.mark.django_db(transaction=True)

FATAL = (signal.SIGKILL, signal.SIGTERM)


def hit(victim: psutil.Process, number: signal.Signals, seconds: float) -> None:
    """Send it, and wake up what was frozen after so many seconds."""
    with suppress(psutil.NoSuchProcess):
        victim.send_signal(number)
        if number == signal.SIGSTOP:
            time.sleep(seconds)
            victim.resume()


def children(worker: Process) -> list[psutil.Process]:
    """Those that fetch, and the one that they come from."""
    try:
        return psutil.Process(worker.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def test_whatever_is_done_to_children_costs_targets_and_nothing_else(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, ISOLATION="process", CHILD_DJANGO=False, TARGET_TIMEOUT_SECONDS=2)
    for _ in range(4):
        records.submit(8, seconds=0.05)
    stored = Stored()
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
        time.sleep(random.uniform(0.02, 0.1))
        stored.look()
        if family := children(worker):
            hit(random.choice(family), number, random.uniform(0.05, 0.3))
    eventually(all_terminal, 30)
    assert_sound(records, stored)
    assert len(records.lines()) >= 4 * 8 - 4
    worker.send(signal.SIGTERM)
    assert worker.wait(20) == 0, worker.err
    assert "Traceback" not in worker.err


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_whatever_is_done_to_workers_and_children_loses_and_repeats_nothing(
    processes: Processes, records: Records
) -> None:
    """Two workers, each replaced when it ends; one whose claims ran out while it was frozen finds
    its jobs taken."""
    options: dict[str, Any] = {"CLAIM_SECONDS": 1, "CHILD_DJANGO": False}

    def another() -> Process:
        isolation = random.choice(["process", "process", "thread"])
        return start(processes, "--grace", "0.5", wait=False, ISOLATION=isolation, **options)

    workers = [another(), another()]
    stored = Stored()
    for _ in range(rounds(20)):
        for _ in range(6):
            records.submit(6, seconds=random.uniform(0.01, 0.1))
        for _ in range(8):
            time.sleep(random.uniform(0.05, 0.4))
            stored.look()
            worker = random.choice(workers)
            number = random.choice([*FATAL, signal.SIGSTOP])
            family = children(worker)
            if family and random.random() < 0.5:
                hit(random.choice(family), number, random.uniform(0.1, 0.5))
                continue
            if worker.popen.poll() is None:
                hit(psutil.Process(worker.pid), number, random.uniform(0.1, 2.5))
            if number in FATAL:
                workers[workers.index(worker)] = another()
        eventually(all_terminal, 90)
        assert_sound(records, stored)
    eventually(lambda: all("worker_started" in worker.err for worker in workers), 60)
    for worker in workers:
        worker.send(signal.SIGTERM)
        assert worker.wait(60) in (0, 3), worker.err
    assert_sound(records, stored)
