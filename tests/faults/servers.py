"""Databases of a test's own, which it may stop, fill and cut off; the tests' shared one it may not.

While a test lives on one, its rows, its runners and the workers that it starts are there.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dj_database_url
import psycopg
from django.core.management import call_command
from django.db import connections

from batch.models import BatchJob, BatchWorker
from tests.connection import connection
from tests.databases import ALIAS, NAMES_VARIABLE
from tests.mariadb import Server
from tests.postgres import Cluster


def named(name: str) -> dict[str, str]:
    """The environment in which a command finds its rows in the database of this name."""
    return {NAMES_VARIABLE: json.dumps({"default": name, ALIAS: name})}


@contextmanager
def living_on(database: dict[str, Any]) -> Iterator[None]:
    """The runner's database is this one, which gets the tables and no rows."""
    shared, at_first = connections[ALIAS], connections.settings[ALIAS]
    known = connections.configure_settings({"default": {}, ALIAS: database})
    connections.settings[ALIAS] = known[ALIAS]
    del connections[ALIAS]
    try:
        call_command("migrate", "batch", database=ALIAS, verbosity=0)
        BatchJob.objects.all().delete()
        BatchWorker.objects.all().delete()
        yield
    finally:
        connections[ALIAS].close()
        connections.settings[ALIAS] = at_first
        connections[ALIAS] = shared


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
        return {"TEST_POSTGRES_URL": self.url, **named("postgres")}

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
        self.env = {"TEST_MARIADB_URL": server.url, **named("sift_batch")}

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
