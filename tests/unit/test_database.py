"""What kind of fault the database has, and what is repeated."""

import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    connections,
    transaction,
)
from django.utils import timezone

from batch import database
from batch.models import BatchGate, BatchJob
from tests.concurrency import run_threads
from tests.connection import connection, stored
from tests.databases import ALIAS


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


class WithState(Exception):
    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate
        super().__init__("the server said something")


@pytest.mark.parametrize("sqlstate", ["40001", "40P01", "55P03"])
def test_conflicts_of_postgresql_are_known(sqlstate: str) -> None:
    assert database.mood(caused(OperationalError("x"), WithState(sqlstate))) == "conflict"


@pytest.mark.parametrize(
    "sqlstate", ["08006", "08003", "57P01", "57P02", "57P03", "53300", "53100", "25006"]
)
def test_absences_of_postgresql_are_known(sqlstate: str) -> None:
    assert database.mood(caused(OperationalError("x"), WithState(sqlstate))) == "away"


@pytest.mark.parametrize("number", [1205, 1213, 1020])
def test_conflicts_of_mariadb_are_known(number: int) -> None:
    error = caused(OperationalError(number, "x"), Exception(number, "x"))
    assert database.mood(error) == "conflict"


@pytest.mark.parametrize("number", [2002, 2003, 2006, 2013, 1040, 1053, 1290])
def test_absences_of_mariadb_are_known(number: int) -> None:
    error = caused(OperationalError(number, "x"), Exception(number, "x"))
    assert database.mood(error) == "away"


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("database is locked", "conflict"),
        ("database table is locked: batch_batchjob", "conflict"),
        ("unable to open database file", "away"),
        ("disk I/O error", "away"),
        ("database or disk is full", "away"),
        ("no such table: batch_batchjob", ""),
        ("no such column: x", ""),
        ("attempt to write a readonly database", "away"),
    ],
)
def test_moods_of_sqlite_are_known_by_their_words(text: str, mood: str) -> None:
    assert database.mood(caused(OperationalError(text), sqlite3.OperationalError(text))) == mood


@pytest.mark.parametrize(
    "error",
    [
        caused(DataError("x"), WithState("22003")),
        caused(IntegrityError("x"), WithState("23505")),
        caused(OperationalError(1054, "unknown column"), Exception(1054, "unknown column")),
        DatabaseError("x"),
        ValueError("database is locked"),
        RuntimeError(2006),
        SystemExit(),
    ],
    ids=repr,
)
def test_what_will_not_pass_by_itself_is_no_mood(error: Exception) -> None:
    assert database.mood(error) == ""


def test_a_connection_that_is_closed_is_away() -> None:
    assert database.mood(InterfaceError("connection already closed")) == "away"


@pytest.mark.django_db
def test_inside_a_callers_transaction_nothing_is_repeated() -> None:
    calls = []

    def work() -> None:
        calls.append(1)
        raise OperationalError("database is locked")

    with pytest.raises(OperationalError):
        database.in_transaction(work, ALIAS)
    assert len(calls) == 1


@pytest.mark.django_db(transaction=True)
def test_a_conflict_is_met_by_the_whole_transaction_anew() -> None:
    calls: list[int] = []

    def work() -> int:
        BatchGate.objects.update_or_create(id=1, defaults={"submits": len(calls)})
        calls.append(1)
        if len(calls) < 4:
            raise OperationalError(1213, "deadlock")
        return BatchGate.objects.get().submits

    assert database.in_transaction(work, ALIAS) == 3
    assert len(calls) == 4


@pytest.mark.django_db(transaction=True)
def test_what_will_not_pass_is_not_repeated() -> None:
    calls: list[int] = []

    def work() -> None:
        calls.append(1)
        raise IntegrityError("x")

    with pytest.raises(IntegrityError):
        database.in_transaction(work, ALIAS)
    assert len(calls) == 1


@pytest.mark.django_db(transaction=True)
def test_an_absence_is_not_waited_for_without_end() -> None:
    calls: list[int] = []

    def work() -> None:
        calls.append(1)
        raise InterfaceError("connection already closed")

    began = time.monotonic()
    with pytest.raises(InterfaceError):
        database.in_transaction(work, ALIAS)
    assert time.monotonic() - began < 5
    assert 2 <= len(calls) <= 5


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.django_db(transaction=True)
def test_two_transactions_that_lock_each_other_both_succeed_in_the_end() -> None:
    both = threading.Barrier(2)
    jobs = [
        BatchJob.objects.create(caller=str(i), idem_key=str(i), status="running") for i in range(2)
    ]
    met: list[int] = []

    def cross(i: int) -> int:
        def work() -> int:
            met.append(i)
            BatchJob.objects.filter(id=jobs[i].id).update(targets_total=i)
            if len(met) <= 2:
                both.wait(10)
            return BatchJob.objects.filter(id=jobs[1 - i].id).update(error=f"by {i}")

        return database.in_transaction(work, ALIAS)

    assert run_threads(2, cross) == [1, 1]
    assert len(met) == 3
    assert {job.error for job in BatchJob.objects.all()} == {"by 0", "by 1"}


@pytest.mark.django_db
def test_the_clock_of_the_database_is_about_right() -> None:
    now = database.now(ALIAS)
    assert abs(now - stored(datetime.now(UTC))) < timedelta(seconds=5)
    assert now.microsecond or database.now(ALIAS).microsecond


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("zone", ["+13:00", "-05:00"])
def test_the_clock_of_the_database_knows_no_time_zone(zone: str) -> None:
    sql = {"postgresql": "SET TIME ZONE %s", "mysql": "SET time_zone = %s"}[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(sql, [zone])
    assert abs(database.now(ALIAS) - timezone.now()) < timedelta(seconds=5)
    connection.close()


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.django_db(transaction=True)
def test_the_clock_goes_on_within_a_transaction() -> None:
    with transaction.atomic(using=ALIAS):
        first = database.now(ALIAS)
        time.sleep(0.02)
        assert database.now(ALIAS) - first > timedelta(milliseconds=15)


def test_a_clock_is_carried_on_from_the_databases_moment() -> None:
    base = datetime(2026, 1, 1, tzinfo=UTC)
    clock = database.Clock(base)
    time.sleep(0.01)
    first, second = clock.now(), clock.now()
    assert timedelta(milliseconds=9) < first - base < timedelta(seconds=5)
    assert first <= second


@pytest.mark.django_db
def test_rows_are_written_to_the_database_that_the_routers_name() -> None:
    assert database.alias() == ALIAS
    assert ALIAS in connections
