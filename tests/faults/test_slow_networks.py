"""The way to the database is slow, silent for a while, or cut in the middle of it."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from batch.models import BatchJob, BatchWorker
from tests.concurrency import eventually, rounds
from tests.faults.proxy import Proxy
from tests.faults.servers import Postgres, named
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, status, told
from tests.processes import Processes

pytestmark = [
    pytest.mark.long,
    pytest.mark.not_with("pgbouncer"),
    pytest.mark.only_on("postgres"),
    pytest.mark.django_db,
    pytest.mark.timeout(300),
]


@pytest.fixture
def proxy(postgres: Postgres) -> Iterator[Proxy]:
    folder = unquote(urlsplit(postgres.url).netloc.split("@")[1])
    proxy = Proxy(Path(folder) / ".s.PGSQL.5432")
    yield proxy
    proxy.close()


def through(proxy: Proxy) -> dict[str, str]:
    """Where a worker finds the database behind the proxy."""
    url = f"postgres://postgres@127.0.0.1:{proxy.port}/postgres?sslmode=disable&connect_timeout=5"
    return {"TEST_POSTGRES_URL": url, **named("postgres")}


@pytest.mark.parametrize("delay_seconds", [0.05, 0.2])
def test_a_slow_database_costs_time_and_nothing_else(
    processes: Processes, records: Records, postgres: Postgres, proxy: Proxy, delay_seconds: float
) -> None:
    far = start(processes, env=through(proxy), CLAIM_SECONDS=6)
    proxy.delay_seconds = delay_seconds
    for _ in range(3):
        records.submit(3, seconds=0.5)
    # Who is near takes what waits before one that is far has asked for it.
    eventually(lambda: len(records.lines()) >= 3, 60)
    near = start(processes, "--slots", "1", env=postgres.env, CLAIM_SECONDS=6)
    for _ in range(2):
        records.submit(2)
    eventually(all_terminal, 90)
    assert set(BatchJob.objects.values_list("status", flat=True)) == {"done"}
    assert len({pid for _, _, pid in records.lines()}) == 2
    assert_sound(records)
    assert not told(near, "jobs_reaped")
    assert ended(far)
    assert ended(near)


def test_a_worker_behind_a_silent_network_loses_its_jobs_and_harms_none(
    processes: Processes, records: Records, postgres: Postgres, proxy: Proxy
) -> None:
    far = start(processes, env=through(proxy), CLAIM_SECONDS=2)
    ids = [records.submit(40, seconds=0.2) for _ in range(4)]
    eventually(lambda: len(records.lines()) >= 8)
    near = start(processes, env=postgres.env, CLAIM_SECONDS=2)
    stored = Stored()
    stored.look()
    with proxy.silent():
        eventually(lambda: {status(job_id) for job_id in ids} == {"failed"}, 30)
        late = records.submit(2)
        eventually(lambda: status(late) == "done")
        stored.look()
    eventually(lambda: told(far, "claim_lost") == len(ids), 30)
    # It is a worker like any other afterwards.
    eventually(lambda: BatchWorker.objects.filter(name__contains=f":{far.pid}:").exists())
    assert ended(near)
    last = records.submit(2)
    eventually(lambda: status(last) == "done", 30)
    assert_sound(records, stored)
    assert ended(far)


def test_answers_that_are_lost_with_the_connection_lose_and_repeat_nothing(
    processes: Processes, records: Records, proxy: Proxy
) -> None:
    worker = start(processes, env=through(proxy), CLAIM_SECONDS=20)
    for _ in range(10):
        records.submit(10 + 10 * rounds(5), seconds=0.02)
    stored = Stored()
    cuts = 0
    while not all_terminal():
        stored.look()
        with proxy.silent():
            time.sleep(random.uniform(0, 0.2))
            # Statements that were on their way may arrive, and their answers do not.
            proxy.cut()
        cuts += 1
        time.sleep(random.uniform(0.2, 0.6))
    assert cuts > 2
    assert set(BatchJob.objects.values_list("status", flat=True)) == {"done"}
    assert_sound(records, stored)
    assert ended(worker)
