"""What a PostgreSQL server did for one system: statements, transactions, flushes, bytes of log."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

SETTLE_SECONDS = 0.3  # for servers' processes to end, which then hand in what they counted
_MARKS = (" LOG:  statement: ", " LOG:  execute ")


@dataclass(frozen=True)
class Counts:
    statements: int
    transactions: int
    flushes: int
    bytes: int

    def since(self, before: Counts, per: int) -> dict[str, float]:
        """What came since then, for each of ``per`` things."""
        return {name: (number - getattr(before, name)) / per for name, number in vars(self).items()}


class Server:
    """Reads the counters of one server, of all its clients' connections that have ended."""

    def __init__(self, url: str, log: Path) -> None:
        self._url = url
        self._log = log

    def _ask(self, sql: str, *values: object) -> Any:
        with psycopg.connect(self._url, autocommit=True) as connection:
            return connection.execute(sql, values).fetchone()

    def counts(self, database: str) -> Counts:
        time.sleep(SETTLE_SECONDS)
        transactions, flushes, position = self._ask(
            "SELECT xact_commit, (SELECT sum(fsyncs) FROM pg_stat_io"
            " WHERE object = 'wal' AND backend_type = 'client backend'),"
            " pg_current_wal_insert_lsn() - '0/0' FROM pg_stat_database WHERE datname = %s",
            database,
        )
        return Counts(self._statements(database), transactions, int(flushes), int(position))

    def _statements(self, database: str) -> int:
        marks = tuple(database + mark for mark in _MARKS)
        with self._log.open(errors="replace") as lines:
            return sum(line.startswith(marks) for line in lines)

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Within, the server writes down each statement, so that they can be counted."""
        self._set("log_statement = 'all'", "log_line_prefix = '%d '")
        try:
            yield
        finally:
            self._set("log_statement = 'none'")

    def _set(self, *settings: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            for setting in settings:
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
        time.sleep(SETTLE_SECONDS)

    def connections(self, database: str) -> int:
        found = self._ask(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = %s AND backend_type = 'client backend'",
            database,
        )
        return int(found[0])

    def version(self) -> str:
        return str(self._ask("SHOW server_version")[0])
