"""Where the benchmarks' databases are: one folder and one PostgreSQL server for a run, and the
Redis of the machine, where there is one."""

from __future__ import annotations

import atexit
import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis

from bench.server import Server
from tests.postgres import Cluster


def django_on(database: str, **more: str) -> dict[str, str]:
    """The environment of a process that uses Django on this database; see bench/settings.py."""
    return {"BENCH_DATABASE": database, "DJANGO_SETTINGS_MODULE": "bench.settings", **more}


@dataclass(frozen=True)
class Places:
    folder: Path
    server_url: str
    server: Server
    redis: str | None  # the URL of a database of its that nobody uses

    def postgresql(self, name: str) -> str:
        """The URL of a database of that name, made when it is not there."""
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if not known.fetchone():
                connection.execute(f'CREATE DATABASE "{name}"')
        return self.server_url.rpartition("/")[0] + f"/{name}"

    def sqlite(self, name: str) -> str:
        return f"sqlite:///{self.folder / name}.sqlite3"


@contextlib.contextmanager
def places() -> Iterator[Places]:
    folder = Path(tempfile.mkdtemp(prefix="sift_batch_bench_"))
    # At the very end: the server's wheel has a lock file in there until then.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    cluster = Cluster(folder / "postgresql")
    try:
        cluster.start()
        server = Server(cluster.url, folder / "postgresql" / "log")
        with _redis() as redis:
            yield Places(folder, cluster.url, server, redis)
    finally:
        cluster.stop()


@contextlib.contextmanager
def _redis() -> Iterator[str | None]:
    """A database of the machine's Redis that is empty, and is emptied afterwards."""
    for number in range(15, 0, -1):
        url = f"redis://127.0.0.1:6379/{number}"
        with redis.Redis.from_url(url) as client:
            try:
                if client.dbsize():
                    continue
            except redis.ConnectionError:
                break
            try:
                yield url
            finally:
                client.flushdb()
            return
    yield None
