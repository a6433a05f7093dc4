"""Lanes hold over processes, also when these die."""

import random
import signal
from typing import Any

import pytest

from batch.models import BatchJob, BatchTarget, BatchTurn
from batch.runner import Runner
from batch.types import Options, Target
from tests.concurrency import eventually, rounds
from tests.faults.workers import Records, all_terminal, start
from tests.processes import Process, Processes
from tests.rules.jobs import ROOMY

pytestmark = pytest.mark.django_db(transaction=True)


def submit(records: Records, name: str, hosts: list[str]) -> str:
    options = Options(question=str(records.path), pages="0.03")
    given = [Target(f"https://{host}/{name}/{i}", options) for i, host in enumerate(hosts)]
    return Runner(config=ROOMY).submit("ann", "", given).id


def polite_worker(processes: Processes, *args: str, wait: bool = True) -> Process:
    return start(
        processes,
        *args,
        wait=wait,
        FETCH="tests.fetches.alone",
        ISOLATION="process",
        CHILD_DJANGO=False,
        CLAIM_SECONDS=1.5,
        PER_LANE=1,
    )


def together() -> int:
    return BatchTarget.objects.filter(result__content="together").count()


def test_two_worker_processes_share_a_lane(
    processes: Processes, records: Records, settings: Any
) -> None:
    settings.BATCH = {"LANE": "sift_batch.wiring.lane", "PER_LANE": 1}
    workers = [polite_worker(processes, "--slots", "2", wait=False) for _ in range(2)]
    for number in range(4):
        submit(records, str(number), ["a", "a", "b", "a"])
    eventually(all_terminal, 30)
    assert BatchJob.objects.filter(status="done").count() == 4
    assert together() == 0
    assert len(records.lines()) == 16
    assert not BatchTurn.objects.exists()
    for worker in workers:
        worker.send(signal.SIGTERM)
    assert [worker.wait() for worker in workers] == [0, 0]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_lanes_hold_while_workers_are_killed(
    processes: Processes, records: Records, settings: Any
) -> None:
    settings.BATCH = {"LANE": "sift_batch.wiring.lane", "PER_LANE": 1}
    chance = random.Random(11)
    for number in range(rounds(20)):
        workers = [polite_worker(processes) for _ in range(2)]
        for name in range(6):
            hosts = [chance.choice("ab") for _ in range(8)]
            submit(records, f"{number}-{name}", hosts)
        begun = len(records.lines()) + chance.randrange(1, 20)
        eventually(lambda begun=begun: len(records.lines()) >= begun, 20)  # type: ignore[misc]
        victim = chance.choice(workers)
        victim.send(signal.SIGKILL)
        victim.wait()
        # What the other worker had goes on, the dead one's is failed, and no lane stays shut.
        eventually(all_terminal, 60)
        assert not BatchTurn.objects.exists()
        assert not BatchTarget.objects.filter(status="running").exists()
        for worker in workers:
            worker.kill()
    assert together() == 0
    assert not records.twice()
