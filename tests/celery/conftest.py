"""Brokers on this machine, and Celery workers that drain from a queue of the test's own."""

import secrets
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import Celery
from redis import Redis

from tests.celery.host import BROKER, NAME, make
from tests.concurrency import eventually
from tests.faults.workers import Records
from tests.processes import Process, Processes

HERE = Path(__file__).parent
BROKERS = {
    "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//",
    "redis": "redis://127.0.0.1:6379/0",
}
DRAINED = {"DISPATCH": "celery", "FETCH": "tests.fetches.record", "JOBS_PER_CALLER": 10}

Start = Callable[..., Process]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        # By where a test stands, since a mark set by hand would be forgotten.
        if item.path.is_relative_to(HERE):
            item.add_marker("celery")


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> str:
    url = BROKERS[request.param]
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname, parts.port), 5).close()
    except OSError:
        pytest.skip(f"no {request.param} on {parts.hostname}:{parts.port}")
    return url


@pytest.fixture
def app(broker: str, settings: Any) -> Iterator[Celery]:
    """The app of the process that submits, which is this one."""
    settings.BATCH = DRAINED
    host = make(broker, f"test-{secrets.token_hex(6)}")
    yield host
    with host.connection_for_write() as connection:
        connection.default_channel.queue_delete(host.main)
        connection.default_channel.exchange_delete(host.main)
    if "redis" in broker:
        with Redis.from_url(broker) as server:
            for key in server.keys(f"{host.main}*"):
                server.delete(key)
    host.close()


@pytest.fixture
def start(
    app: Celery, broker: str, transactional_db: None, processes: Processes, tmp_path: Path
) -> Start:
    """Starts `celery worker` on the test's database and queue, and waits until it is ready."""

    def started(*args: str, pool: str = "threads", **batch: Any) -> Process:
        worker = processes.python(
            *("-m", "celery", "-A", "tests.celery.host", "worker", "--pool", pool),
            *("--concurrency", "2", "--without-gossip", "--without-mingle", "--loglevel", "INFO"),
            *("--schedule", str(tmp_path / "beat"), *args),
            batch={**DRAINED, **batch},
            env={BROKER: broker, NAME: app.main},
        )
        eventually(lambda: " ready." in worker.err or worker.popen.poll() is not None, 60)
        assert worker.popen.poll() is None, worker.err
        return worker

    return started


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """Where `tests.fetches.record` notes what was fetched."""
    return Records(tmp_path)
