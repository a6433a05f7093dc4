"""Celery's own pool, whose processes may not have children."""

import pytest

from tests.celery.conftest import Start
from tests.concurrency import eventually
from tests.faults.workers import Records, status
from tests.rules.jobs import row

pytestmark = pytest.mark.parametrize("broker", ["redis"], indirect=True)


def test_process_isolation_is_refused_in_one_line_and_the_job_waits_on(
    start: Start, records: Records
) -> None:
    worker = start(pool="prefork")
    job_id = records.submit(1)
    eventually(lambda: "drain_refused" in worker.err, 30)
    (line,) = [line for line in worker.err.splitlines() if " ERROR " in line]
    assert job_id in line
    assert "--pool threads" in line
    assert "\nTraceback" not in worker.err
    assert (row(job_id).claim, records.lines()) == (0, [])


def test_with_thread_isolation_its_jobs_are_drained(start: Start, records: Records) -> None:
    start(pool="prefork", ISOLATION="thread")
    job_id = records.submit(2)
    eventually(lambda: status(job_id) == "done", 30)
