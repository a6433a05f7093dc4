"""The SQL of the hot writes, a job's claim and a target's outcome, by hand and in this one place.

The ORM compiles an UPDATE anew at each call, which takes longer than the database needs to run
it. Past that, each database has one thing that costs most (docs/performance.md has the
numbers). PostgreSQL plans a statement longer than it runs it: there all of it is one prepared
statement. SQLite writes every index on a column that an UPDATE names, changed or not: there
the job is first written by a statement that names none, and by the full one where it ends.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import DatabaseError, transaction

from batch.models import BatchJob, BatchTarget, JobStatus, TargetState

logger = logging.getLogger("batch")

JOB = BatchJob._meta.db_table
TARGET = BatchTarget._meta.db_table

# The statements use only constants of this module; values go in as parameters.
_GOES_ON = f"status = '{JobStatus.RUNNING}' AND targets_done + 1 < targets_total"
_COUNTED = """
    lease_expires_at = %(lease)s,
    targets_failed = targets_failed + %(failed)s,
    targets_done = targets_done + 1
"""
# `status` and `finished_at` come before the counters that they are computed from: MariaDB
# assigns from left to right, and the others compute every value from the old row.
_JOB_SET = f"""
    finished_at = CASE WHEN status = '{JobStatus.RUNNING}' AND targets_done + 1 >= targets_total
        THEN %(now)s ELSE finished_at END,
    worker = CASE WHEN {_GOES_ON} THEN worker ELSE '' END,
    claim_expires_at = CASE WHEN {_GOES_ON} THEN claim_expires_at ELSE NULL END,
    status = CASE
        WHEN status <> '{JobStatus.RUNNING}' OR targets_done + 1 < targets_total THEN status
        WHEN targets_failed + %(failed)s = 0 THEN '{JobStatus.DONE}'
        WHEN targets_failed + %(failed)s >= targets_total THEN '{JobStatus.FAILED}'
        ELSE '{JobStatus.PARTIAL}' END, {_COUNTED}
"""
_JOB_MINE = (
    "id = %(job)s AND claim = %(claim)s AND targets_done < targets_total"
    f" AND status IN ('{JobStatus.RUNNING}', '{JobStatus.CANCELLED}')"
)
_TARGET_MINE = f"job_id = %(job)s AND idx = %(idx)s AND status = '{TargetState.RUNNING}'"

_JOB_GOES_ON = f"UPDATE {JOB} SET {_COUNTED} WHERE {_JOB_MINE} AND {_GOES_ON}"
_JOB_ENDS = f"UPDATE {JOB} SET {_JOB_SET} WHERE {_JOB_MINE}"
_THIS_TARGET = f"""
    UPDATE {TARGET} SET
        status = %(outcome)s, result = %(result)s, error = %(error)s, hint = %(hint)s,
        code = %(code)s, details = %(details)s, finished_at = %(now)s
    WHERE {_TARGET_MINE}
"""
_NEXT_TARGET = f"""
    UPDATE {TARGET} SET status = '{TargetState.RUNNING}', started_at = %(now)s
    WHERE job_id = %(job)s AND idx = %(idx)s + 1 AND status = '{TargetState.PENDING}'
"""

# Both targets in one UPDATE, which opens the table and its indexes once. It is joined with the
# job as that was written, so that it runs second and not at all where the job was not ours.
_THIS = "t.idx = %(idx)s"
_ALL_IN_ONE = f"""
    WITH job AS (
        UPDATE {JOB} SET {_JOB_SET}
        WHERE {_JOB_MINE} AND EXISTS (SELECT 1 FROM {TARGET} WHERE {_TARGET_MINE})
        RETURNING status
    )
    UPDATE {TARGET} AS t SET
        status = CASE WHEN {_THIS} THEN %(outcome)s ELSE '{TargetState.RUNNING}' END,
        result = CASE WHEN {_THIS} THEN %(result)s::jsonb ELSE t.result END,
        error = CASE WHEN {_THIS} THEN %(error)s ELSE t.error END,
        hint = CASE WHEN {_THIS} THEN %(hint)s ELSE t.hint END,
        code = CASE WHEN {_THIS} THEN %(code)s ELSE t.code END,
        details = CASE WHEN {_THIS} THEN %(details)s::jsonb ELSE t.details END,
        started_at = CASE WHEN {_THIS} THEN t.started_at ELSE %(now)s END,
        finished_at = CASE WHEN {_THIS} THEN %(now)s ELSE t.finished_at END
    FROM job
    WHERE t.job_id = %(job)s AND t.idx IN (%(idx)s, %(idx)s + 1) AND t.status = CASE
        WHEN {_THIS} THEN '{TargetState.RUNNING}'
        WHEN job.status = '{JobStatus.RUNNING}' THEN '{TargetState.PENDING}' END
"""

_JOB_TAKEN = f"""
    UPDATE {JOB} SET
        worker = %(worker)s, claim = %(claim)s, claim_expires_at = %(expires)s,
        started_at = COALESCE(started_at, %(now)s)
    WHERE id = %(job)s AND status = '{JobStatus.RUNNING}' AND claim = 0
"""
_FIRST_TARGET = f"""
    UPDATE {TARGET} SET status = '{TargetState.RUNNING}', started_at = %(now)s
    WHERE job_id = %(job)s AND idx = 0 AND status = '{TargetState.PENDING}'
"""
_TAKEN_IN_ONE = f"""
    WITH job AS ({_JOB_TAKEN} RETURNING id),
        target AS ({_FIRST_TARGET} AND EXISTS (SELECT 1 FROM job))
    SELECT id FROM job
"""
_NO_STATEMENT = {"26000", "42P05"}  # not there, or there already: another server connection

# sqlite3 names parameters in another way, into which Django would translate at each call.
_NAMES = (
    "job", "claim", "idx", "now", "lease", "failed",
    "outcome", "result", "error", "hint", "code", "details",
)  # fmt: skip
_NATIVE = {
    sql: sql % {name: f":{name}" for name in _NAMES}
    for sql in (_JOB_GOES_ON, _JOB_ENDS, _THIS_TARGET, _NEXT_TARGET)
}

_unprepared: set[str] = set()  # aliases behind a pooler that does not say so


def stored_id(connection: Any, job_id: uuid.UUID) -> uuid.UUID | str:
    """A job's id in the form in which this database has it."""
    return job_id if connection.features.has_native_uuid_field else job_id.hex


def stored_moment(connection: Any, value: datetime) -> Any:
    """A time in the form in which this database has it. Django makes it naive as well, but
    slowly."""
    if value.tzinfo and not connection.features.supports_timezones:
        value = value.astimezone(connection.timezone).replace(tzinfo=None)
    return connection.ops.adapt_datetimefield_value(value)


def take(connection: Any, parameters: dict[str, Any], *, begin: bool) -> bool:
    """Take a job that waits, and with ``begin`` mark its first target running. False: it does
    not wait any more, and nothing was written."""
    if connection.vendor == "postgresql":
        return _in_one(connection, _TAKEN_IN_ONE if begin else _JOB_TAKEN, parameters) > 0
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(_JOB_TAKEN, parameters)
        taken = bool(cursor.rowcount)
        if taken and begin:
            cursor.execute(_FIRST_TARGET, parameters)
    return taken


def write(connection: Any, parameters: dict[str, Any]) -> int:
    """Write one outcome. 2: the next target is marked running; 1: the job has ended; 0: it is
    in other hands, and nothing was written."""
    if connection.vendor == "postgresql":
        return _in_one(connection, _ALL_IN_ONE, parameters)
    if connection.vendor == "sqlite" and not _looked_at(connection):
        return _on_sqlite(connection, parameters)
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        written = _in_steps(cursor, parameters)
        if not written:
            transaction.set_rollback(True, using=connection.alias)
    return written


def write_and_stop(connection: Any, parameters: dict[str, Any], besides: Callable[[], None]) -> int:
    """Write one outcome, mark no next target, and do ``besides`` in the same transaction.
    2: the job goes on; 1 and 0: as of :func:`write`."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            written = _in_steps(cursor, parameters, stop=True)
        if written:
            besides()
        else:
            transaction.set_rollback(True, using=connection.alias)
    return written


def _in_steps(
    cursor: Any,
    parameters: dict[str, Any],
    names: dict[str, str] | None = None,
    *,
    stop: bool = False,
) -> int:
    def rows(sql: str) -> int:
        cursor.execute(names[sql] if names else sql, parameters)
        return int(cursor.rowcount)

    goes_on = rows(_JOB_GOES_ON)
    if not goes_on and not rows(_JOB_ENDS):
        return 0
    if not rows(_THIS_TARGET):
        return 0
    if not goes_on:
        return 1
    return 2 if stop else 1 + rows(_NEXT_TARGET)


def _on_sqlite(connection: Any, parameters: dict[str, Any]) -> int:
    """The steps, without what Django's cursor and ``atomic`` cost around each: together more
    than SQLite takes for all of them."""
    if connection.connection is None:  # asked here, since Django looks for an event loop first
        connection.ensure_connection()
    raw = connection.connection
    with connection.wrap_database_errors:
        cursor = raw.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
            written = _in_steps(cursor, parameters, _NATIVE)
            if written:
                cursor.execute("COMMIT")
        finally:
            if raw.in_transaction:
                raw.rollback()
    return written


def _looked_at(connection: Any) -> bool:
    """Django's own cursor does it inside a caller's transaction, and where somebody looks on."""
    return bool(
        connection.in_atomic_block or connection.queries_logged or connection.execute_wrappers
    )


def _in_one(connection: Any, sql: str, parameters: dict[str, Any]) -> int:
    """Run one statement on PostgreSQL; how many rows it wrote."""
    from django.db.backends.postgresql.psycopg_any import is_psycopg3

    pooled = connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]
    prepare = is_psycopg3 and not pooled and connection.alias not in _unprepared
    if prepare and not _looked_at(connection):
        try:
            return _prepared(connection, sql, parameters)
        except DatabaseError as error:
            if getattr(error.__cause__, "sqlstate", None) in _NO_STATEMENT:
                _unprepared.add(connection.alias)
                hint = "set DISABLE_SERVER_SIDE_CURSORS, as for any pooler between transactions"
                logger.warning("statement_not_prepared", extra={"hint": hint})
            # Whether it was carried out is not known: the caller tries again, and looks.
            raise
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)


def _prepared(connection: Any, sql: str, parameters: dict[str, Any]) -> int:
    """Run the statement as a prepared one, which Django's own cursors never do.

    The comment makes it a new statement every second, planned for the tables as they are then:
    a plan made while a table was small reads the whole of it, also when it has grown. Older
    ones are dropped, since each takes some 100 kB of the server's memory.
    """
    import psycopg

    connection.ensure_connection()
    raw = connection.connection
    kept = raw.prepare_threshold, raw.prepared_max
    raw.prepare_threshold, raw.prepared_max = 0, 2
    try:
        with connection.wrap_database_errors, psycopg.Cursor(raw) as cursor:
            cursor.execute(f"/* {time.monotonic():.0f} */ {sql}", parameters)
            return cursor.rowcount
    finally:
        raw.prepare_threshold, raw.prepared_max = kept
