"""What can be said of the database that the runner uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from batch import conf, database

E_NO_AUTOCOMMIT = "batch.E005"
W_SQLITE = "batch.W001"
W_LOCAL_TIME = "batch.W002"
W_NO_WAL = "batch.W007"
W_CHARSET = "batch.W008"
W_PACKET = "batch.W009"


@register("batch")
def check_database(**kwargs: Any) -> list[CheckMessage]:
    """From the settings alone."""
    options = connections.settings[database.alias()]
    found: list[CheckMessage] = []
    if not options["AUTOCOMMIT"]:
        found.append(
            Error(
                "the runner's database has AUTOCOMMIT off, so nothing that a worker writes would"
                " ever be committed",
                hint="leave AUTOCOMMIT out of it; ATOMIC_REQUESTS is fine",
                id=E_NO_AUTOCOMMIT,
            )
        )
    if not django_settings.USE_TZ and django_settings.TIME_ZONE != "UTC":
        found.append(
            Warning(
                "with USE_TZ off, times are local ones: when the clocks change, the claims of"
                " living workers may seem to have run out",
                hint='set USE_TZ = True, or TIME_ZONE = "UTC"',
                id=W_LOCAL_TIME,
            )
        )
    mode = str(options.get("OPTIONS", {}).get("transaction_mode", "")).upper()
    if options["ENGINE"].endswith("sqlite3") and mode not in ("IMMEDIATE", "EXCLUSIVE"):
        found.append(
            Warning(
                "SQLite begins transactions in deferred mode: one that read first may be refused"
                " as locked at once, whatever the timeout",
                hint='set OPTIONS to {"transaction_mode": "IMMEDIATE", "timeout": 20}',
                id=W_SQLITE,
            )
        )
    return found


@register("batch", Tags.database)
def ask_database(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Over a connection: by ``manage.py check --database`` and ``manage.py migrate``."""
    using = database.alias()
    if using not in (databases or ()):
        return []
    connection = connections[using]
    if connection.vendor == "sqlite":
        return list(_sqlite(connection))
    return list(_mysql(connection)) if connection.vendor == "mysql" else []


def _sqlite(connection: Any) -> Iterator[CheckMessage]:
    if connection.is_in_memory_db():
        return
    with connection.cursor() as cursor:
        mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "wal":
        yield Warning(
            f"SQLite keeps its journal in mode {mode!r}: whoever reads keeps a worker from"
            " writing, and the other way round",
            hint='set OPTIONS to {"init_command": "PRAGMA journal_mode=WAL;"}',
            id=W_NO_WAL,
        )


def _mysql(connection: Any) -> Iterator[CheckMessage]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT @@character_set_database, @@character_set_connection, @@max_allowed_packet"
        )
        stored, sent, packet = cursor.fetchone()
    for what, charset in (("the database", stored), ("the connection", sent)):
        if charset != "utf8mb4":
            yield Warning(
                f"the character set of {what} is {charset}, which cannot hold every text",
                hint="ALTER DATABASE ... CHARACTER SET utf8mb4 before migrate, and leave charset"
                " out of OPTIONS",
                id=W_CHARSET,
            )
    if conf.faults(getattr(django_settings, "BATCH", {})):
        return  # which the check of the settings tells
    limit = conf.settings().result_max_bytes
    if packet <= limit:
        yield Warning(
            f"max_allowed_packet is {packet} bytes and RESULT_MAX_BYTES {limit}: a result in"
            " between fails its target with bad_result",
            hint="raise max_allowed_packet on the server, or lower RESULT_MAX_BYTES",
            id=W_PACKET,
        )
