"""Hosts whose clocks are minutes apart: claims go by the database's clock."""

import re
import signal
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from batch.models import BatchJob, BatchTarget, BatchWorker
from tests.concurrency import eventually
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status, told
from tests.processes import ROOT, Process, Processes
from tests.rules.jobs import row, states

pytestmark = [
    pytest.mark.long,
    pytest.mark.not_with("local-times"),
    # On SQLite a process's clock is the database's, and all are on one machine.
    pytest.mark.only_on("postgres", "mariadb"),
    pytest.mark.django_db(transaction=True),
]

FIVE_MINUTES = 300
CLOCKS = Path(__file__).parent / "clocks"


def start_at(processes: Processes, wrong_by_seconds: float) -> Process:
    """A worker on a host whose clock is wrong by so much, and its children with it."""
    env = {
        "PYTHONPATH": f"{CLOCKS}:{ROOT}",
        "TEST_CLOCK_WRONG_BY": str(wrong_by_seconds),
    }
    return start(processes, env=env, CLAIM_SECONDS=2, ISOLATION="process", CHILD_DJANGO=True)


def believed(worker: Process) -> datetime:
    """The time of the first line of its log."""
    found = re.search(r"^\d{4}-\S+(?=Z )", worker.err, re.MULTILINE)
    assert found, worker.err
    return datetime.fromisoformat(found[0])


def test_hosts_five_minutes_apart_neither_lose_nor_take_a_job(
    processes: Processes, records: Records
) -> None:
    began = timezone.now()
    ahead, behind = start_at(processes, FIVE_MINUTES), start_at(processes, -FIVE_MINUTES)
    between = believed(ahead) - believed(behind)
    assert abs(between - timedelta(seconds=2 * FIVE_MINUTES)) < timedelta(seconds=60)
    # Longer than several claims, so that each could take the other's.
    for _ in range(8):
        records.submit(5, seconds=1)
    stored = Stored()
    eventually(lambda: len({pid for _, _, pid in records.lines()}) == 8, 30)
    time.sleep(2.5)
    stored.look()
    assert not told(ahead, "jobs_reaped") + told(behind, "jobs_reaped")
    seen = BatchWorker.objects.values_list("seen_at", flat=True)
    assert [abs(timezone.now() - at) < timedelta(seconds=4) for at in seen] == [True, True]
    # A dead one's jobs are still taken, by one that is ten minutes behind it, and no sooner.
    ahead_jobs = [str(job.id) for job in BatchJob.objects.all() if f":{ahead.pid}:" in job.worker]
    assert ahead_jobs
    ahead.send(signal.SIGKILL)
    ahead.wait()
    killed_at = time.monotonic()
    eventually(lambda: {status(job_id) for job_id in ahead_jobs} == {"failed"}, 10)
    assert time.monotonic() - killed_at > 0.5
    eventually(all_terminal, 30)
    for job_id in map(str, BatchJob.objects.values_list("id", flat=True)):
        if job_id not in ahead_jobs:
            assert (row(job_id).status, states(job_id)) == ("done", ["done"] * 5)
    # What they stored is by the database's clock, too.
    moments = [
        moment
        for target in BatchTarget.objects.all()
        for moment in (target.started_at, target.finished_at)
        if moment
    ]
    assert began - timedelta(seconds=5) < min(moments)
    assert max(moments) < timezone.now() + timedelta(seconds=5)
    assert_sound(records, stored)
    assert ended(behind)
