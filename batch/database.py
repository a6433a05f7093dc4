"""The database under the runner: which one, what time it has, and how its moods are met.

Every transaction of the runner goes through :func:`in_transaction`. It repeats whole
transactions, never a fetch, and only for faults that pass by themselves.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

from django.apps import apps
from django.conf import settings as django_settings
from django.db import DatabaseError, connections, router, transaction
from django.db.utils import Error, InterfaceError, OperationalError
from django.utils import timezone

T = TypeVar("T")

CHANNEL = "batch_jobs"  # of NOTIFY on PostgreSQL
CONFLICT_SECONDS = 15.0  # how long a conflict is tried again before its error goes up
# It goes on while the machine sleeps; not every system has it.
_STEADY_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
AWAY_TRIES = 3  # a dead connection is replaced at once; a dead server is the caller's to await

# Each database's words for "try the whole transaction again".
_CONFLICTS = {
    "40001",  # PostgreSQL: serialization_failure
    "40P01",  # deadlock_detected
    "55P03",  # lock_not_available
    "57014",  # query_canceled, by a statement timeout
    "26000",  # no such prepared statement: a pooler sent it elsewhere (batch/moves/writes.py)
    "42P05",  # ... or where it is known already
    1020,  # MariaDB: the record has changed since it was read (innodb_snapshot_isolation)
    1205,  # lock wait timeout
    1213,  # deadlock
}
# ... and for "the server or the connection is gone, or cannot work for a while".
_AWAY = {
    1021, 1040, 1053, 1158, 1159, 1160, 1161, 1203, 1927, 2002, 2003, 2006, 2013, 2055, 4031,
    1047, 1114, 1290, 1836,  # not ready, full, or read only: a standby, until it takes over
}  # fmt: skip
_CUT_SHORT = {2006, 2013}
# PostgreSQL: a standby, until it takes over; a session ended for its idleness or its length; a
# disk that cannot be read or written.
_AWAY_STATES = ("25006", "25P03", "25P04", "58030")
_AWAY_CLASSES = ("08", "53", "57P")  # PostgreSQL: connection, resources, shutdown
_SQLITE_AWAY = (
    "disk I/O error",
    "unable to open database file",
    "database or disk is full",
    "attempt to write a readonly database",  # also of one that was moved away
)


def alias() -> str:
    """The alias that the runner reads and writes, as the host's routers say."""
    return router.db_for_write(apps.get_model("batch", "BatchJob"))


def cut_short(error: BaseException) -> bool:
    """Whether MariaDB ended the connection in the middle of a statement, as it does on one that
    is over its max_allowed_packet."""
    cause = error.__cause__ or error
    return bool(cause.args) and cause.args[0] in _CUT_SHORT


def mood(error: BaseException) -> Literal["conflict", "away", ""]:
    """What kind of passing fault ``error`` is; empty for one that will not pass."""
    if isinstance(error, InterfaceError):
        return "away"
    if not isinstance(error, DatabaseError):
        return ""
    cause = error.__cause__ or error
    sqlstate = getattr(cause, "sqlstate", None)
    number = cause.args[0] if cause.args and isinstance(cause.args[0], int) else None
    if sqlstate in _CONFLICTS or number in _CONFLICTS:
        return "conflict"
    if number in _AWAY or (sqlstate or "").startswith((*_AWAY_STATES, *_AWAY_CLASSES)):
        return "away"
    if not isinstance(error, OperationalError) or sqlstate or number is not None:
        return ""
    text = str(error)
    if "is locked" in text:
        return "conflict"
    if type(cause).__module__.startswith("psycopg"):
        return "away"  # no SQLSTATE: the server never answered
    return "away" if any(words in text for words in _SQLITE_AWAY) else ""


def repeat(work: Callable[[], T], using: str) -> T:
    """Run ``work``, again as long as it meets a passing fault; inside a caller's transaction
    once, since only the caller can repeat that."""
    started = time.monotonic()
    tries = away = 0
    while True:
        tries += 1
        try:
            return work()
        except Error as error:
            connection = connections[using]
            if connection.in_atomic_block:
                raise
            kind = mood(error)
            away += kind == "away"
            waited = time.monotonic() - started
            if not kind or away >= AWAY_TRIES or waited > CONFLICT_SECONDS:
                raise
            if kind == "away":
                connection.close()
            # Full jitter: those that collided must not collide again.
            time.sleep(random.uniform(0, min(0.5, 0.01 * 2**tries)))


def in_transaction(work: Callable[[], T], using: str) -> T:
    """Run ``work`` in one transaction, joined to the caller's if there is one.

    Its first statement has to be a write: SQLite in its default mode takes the write lock at
    the first write, and a transaction that read before it can only fail.
    """

    def whole() -> T:
        with transaction.atomic(using=using):
            return work()

    return repeat(whole, using)


def tidy_up(using: str) -> None:
    """End a transaction that a stranger's code left open on this thread's connection: nothing
    after it would ever be committed."""
    connection = connections[using]
    if connection.connection is None:
        return
    if connection.in_atomic_block:
        # What `transaction.atomic` would undo at its end, which never came.
        connection.savepoint_ids.clear()
        connection.in_atomic_block = connection.needs_rollback = False
        connection.close()
    elif not connection.autocommit or _is_open(connection):
        connection.close()


def _is_open(connection: Any) -> bool:
    """Whether a transaction is open that Django knows nothing of: a BEGIN by hand."""
    raw = connection.connection
    if connection.vendor == "sqlite":
        return bool(raw.in_transaction)
    if connection.vendor == "postgresql":
        return bool(raw.info.transaction_status)  # IDLE is 0
    return False


def now(using: str) -> datetime:
    """The database's clock: aware, or naive in TIME_ZONE where USE_TZ is off.

    It is asked for seconds since 1970, the one form in which every driver and every time zone
    setting agree. On SQLite the process's clock is the database's.
    """
    connection = connections[using]
    if connection.vendor not in ("postgresql", "mysql"):
        return timezone.now()
    sql = {
        "postgresql": "SELECT EXTRACT(EPOCH FROM clock_timestamp())",
        "mysql": "SELECT UNIX_TIMESTAMP(SYSDATE(6))",
    }[connection.vendor]

    def ask() -> datetime:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            (seconds,) = cursor.fetchone()
        return _moment(seconds)

    # The clock is asked before anything else, so this is where a dead connection is met.
    return repeat(ask, using)


def _moment(seconds: float) -> datetime:
    # Whole microseconds: a float of today's epoch is off by some hundred nanoseconds.
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(seconds * 1_000_000))
    if django_settings.USE_TZ:
        return moment
    return timezone.make_naive(moment, timezone.get_default_timezone())


class Clock:
    """A moment of the database's clock, carried on by this machine's steady clock.

    A drain stamps each outcome without a query of its own, and hosts whose wall clocks differ
    or jump still write times that agree.
    """

    def __init__(self, base: datetime) -> None:
        self._base = base
        self._started = _steady()

    def now(self) -> datetime:
        return self._base + timedelta(seconds=_steady() - self._started)


def _steady() -> float:
    return time.clock_gettime(_STEADY_CLOCK)


def notify(using: str) -> None:
    """Wake the workers that wait on PostgreSQL, when the current transaction commits."""
    connection = connections[using]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])
