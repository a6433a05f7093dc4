"""Databases of a test's own, which it may stop, fill and cut off; the tests' shared one it may not.

While a test lives on one, its rows, its runners and the workers that it starts are there.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dj_database_url
import psycopg
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections

from batch.models import BatchJob, BatchWorker
from tests.databases import NAME_VARIABLE
from tests.mariadb import Server
from tests.postgres import Cluster


@contextmanager
def living_on(database: dict[str, Any]) -> Iterator[None]:
    """`default` is this database, which gets the tables and no rows."""
    shared, at_first = connections[DEFAULT_DB_ALIAS], connections.settings[DEFAULT_DB_ALIAS]
    known = connections.configure_settings({DEFAULT_DB_ALIAS: database})
    connections.settings[DEFAULT_DB_ALIAS] = known[DEFAULT_DB_ALIAS]
    del connections[DEFAULT_DB_ALIAS]
    try:
        call_command("migrate", "batch", verbosity=0)
        BatchJob.objects.all().delete()
        BatchWorker.objects.all().delete()
        yield
    finally:
        connections[DEFAULT_DB_ALIAS].close()
        connections.settings[DEFAULT_DB_ALIAS] = at_first
        connections[DEFAULT_DB_ALIAS] = shared


class Postgres:
    """A PostgreSQL server."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.url = cluster.url

    @property
    def settings(self) -> dict[str, Any]:
        return dict(dj_database_url.parse(self.url))

    @property
    def env(self) -> dict[str, str]:
        return {"TEST_POSTGRES_URL": self.url, NAME_VARIABLE: "postgres"}

    def stop(self) -> None:
        connection.close()  # the test's own
        self.cluster.stop()

    def start(self) -> None:
        self.cluster.start()

    def ask(self, sql: str) -> list[Any]:
        """On a connection of its own, which is closed again."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def end_backends(self) -> None:
        connection.close()
        self.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


class MariaDB:
    """A MariaDB server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.env = {"TEST_MARIADB_URL": server.url, NAME_VARIABLE: "sift_batch"}

    @property
    def settings(self) -> dict[str, Any]:
        return dict(dj_database_url.parse(self._server.url))

    def stop(self, *, kill: bool = False) -> None:
        connection.close()  # the test's own
        self._server.stop(kill=kill)

    def start(self) -> None:
        self._server.start()


def restart(server: Postgres | MariaDB, seconds: float = 1.5) -> None:
    server.stop()
    time.sleep(seconds)
    server.start()
