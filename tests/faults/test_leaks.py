"""A fetch function that leaves something behind each time."""

import resource

import psutil
import pytest

from batch.models import BatchTarget
from batch.runner import Runner
from batch.types import Options, Target
from tests.concurrency import eventually, rounds
from tests.faults.verdict import assert_sound
from tests.faults.workers import Records, ended, start, status
from tests.processes import Process, Processes
from tests.rules.jobs import ROOMY

pytestmark = [
    pytest.mark.long,
    pytest.mark.only_on("sqlite"),
    pytest.mark.django_db(transaction=True),
]

MEGABYTE = 1024**2


def submit(records: Records, kind: str, count: int) -> str:
    options = Options(mode=kind, question=str(records.path))
    given = [Target(f"https://e.com/{kind}/{i}", options) for i in range(count)]
    return Runner(config=ROOMY).submit("ann", "", given).id


def family(worker: Process) -> list[psutil.Process]:
    root = psutil.Process(worker.pid)
    return [root, *root.children(recursive=True)]


def allow_descriptors(worker: Process, count: int) -> None:
    for process in family(worker):
        _, hard = process.rlimit(resource.RLIMIT_NOFILE)
        process.rlimit(resource.RLIMIT_NOFILE, (count, hard))


@pytest.mark.parametrize("kind", ["descriptors", "memory", "threads"])
def test_what_a_fetch_leaves_behind_goes_with_its_child(
    processes: Processes, records: Records, kind: str
) -> None:
    worker = start(
        processes,
        FETCH="tests.fetches.leak",
        ISOLATION="process",
        CHILD_DJANGO=False,
        TARGET_MEMORY_BYTES=200 * MEGABYTE,
    )
    allow_descriptors(worker, 256)
    root = psutil.Process(worker.pid)
    before = root.memory_info().rss
    # Far more than one process could hold.
    job_id = submit(records, kind, 50 * rounds(5))
    eventually(lambda: status(job_id) not in ("queued", "running"), 90)
    assert not BatchTarget.objects.exclude(status="done").exists()
    assert root.num_fds() < 60
    assert sum(process.num_threads() for process in family(worker)) < 40
    assert root.memory_info().rss - before < 30 * MEGABYTE
    assert sum(process.memory_info().rss for process in family(worker)) < 900 * MEGABYTE
    assert_sound(records)
    assert ended(worker)


def test_a_worker_lives_with_what_a_fetch_in_its_threads_leaves_behind(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, FETCH="tests.fetches.leak")
    ids = [submit(records, kind, 30) for kind in ("descriptors", "memory", "threads")]
    eventually(lambda: all(status(job_id) == "done" for job_id in ids), 60)
    late = records.submit(1)
    eventually(lambda: status(late) != "running")
    assert_sound(records)
    assert ended(worker)


def test_a_worker_whose_threads_have_no_descriptor_left_fails_targets_and_nothing_else(
    processes: Processes, records: Records
) -> None:
    worker = start(processes, FETCH="tests.fetches.leak")
    allow_descriptors(worker, 128)
    job_id = submit(records, "descriptors", 20)
    eventually(lambda: status(job_id) == "partial", 60)
    failed = BatchTarget.objects.filter(status="failed")
    assert set(failed.values_list("code", flat=True)) == {"internal"}
    assert all("Too many open files" in error for error in failed.values_list("error", flat=True))
    assert worker.popen.poll() is None
    assert_sound(records)
