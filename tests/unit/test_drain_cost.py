"""What one target costs the database: one transaction, and one flush of the log."""

import threading
from itertools import pairwise
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext

from batch.drain import READ_AHEAD
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.connection import connection
from tests.rules.jobs import ROOMY, content, submit

pytestmark = pytest.mark.django_db(transaction=True)


def count(sql: str, *values: Any) -> int:
    """Asks on a connection of its own, which is not counted."""
    answer: list[int] = []

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            answer.append(int(cursor.fetchone()[0] or 0))
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return answer[0]


def flushes() -> int:
    """How often this connection's own backend flushed the log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    return count("SELECT sum(fsyncs) FROM pg_stat_get_backend_io(%s) WHERE object = 'wal'", pid)


@pytest.mark.only_on("postgres")
def test_a_target_costs_one_flush_of_the_log() -> None:
    job_id = submit(100)
    before = flushes()
    assert Runner(content).drain(job_id)
    spent = flushes() - before
    # One more takes the job in hand. Now and then another process flushes for us, or a page has
    # to make room for others and takes the log with it.
    assert 80 <= spent <= 110


@pytest.mark.only_on("postgres")
def test_a_target_costs_one_transaction() -> None:
    def spent() -> list[int]:
        xids: list[int] = []

        def fetch(context: FetchContext, target: Target) -> Result:
            # The number that the next transaction will get: each one that writes takes one.
            xids.append(count("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"))
            return Result("content")

        assert Runner(fetch).drain(submit(60))
        return [later - earlier for earlier, later in pairwise(xids)]

    # Tests beside this one take numbers of the same server, which can only add to these.
    steps = min((spent() for _ in range(3)), key=sum)
    assert len(steps) == 59
    assert sorted(steps)[len(steps) // 2] == 1
    assert sum(steps) < 1.5 * len(steps)


@pytest.mark.only_on("postgres")
@pytest.mark.not_with("pgbouncer")  # where nothing is prepared
def test_the_server_counts_one_prepared_statement_a_target() -> None:
    job_id = submit(100)

    def committed() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
        return count("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")

    before = committed()
    assert Runner(content).drain(job_id)
    # Outside of a transaction each statement commits, and so a SELECT would count as well. What
    # is more: the claim with its clock, reading ahead, and how this test asks.
    assert 100 <= committed() - before <= 115
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        assert any("WITH job AS" in statement for (statement,) in cursor.fetchall())


def test_no_query_but_the_write_and_reading_ahead_is_on_the_drains_connection() -> None:
    job_id = submit(READ_AHEAD + 20)
    marks: list[int] = []

    with CaptureQueriesContext(connection) as captured:

        def fetch(context: FetchContext, target: Target) -> Result:
            marks.append(len(connection.queries_log))
            return Result("content")

        assert Runner(fetch).drain(job_id)
        marks.append(len(connection.queries_log))
    log = [query["sql"] for query in captured.captured_queries]
    start = captured.initial_queries
    reads = [sql for sql in log if sql.startswith("SELECT") and "batch_batchtarget" in sql]
    assert len(reads) <= 3
    per_target = [
        [sql for sql in log[a - start : b - start] if sql not in reads] for a, b in pairwise(marks)
    ]
    statements = 1 if connection.vendor == "postgresql" else 3
    for queries in per_target:
        own = [sql for sql in queries if sql not in ("BEGIN", "COMMIT", "BEGIN IMMEDIATE")]
        assert len(own) == statements, queries
        assert all("UPDATE" in sql for sql in own)


def test_reading_ahead_does_not_read_all_of_a_long_job() -> None:
    job_id = submit(READ_AHEAD * 3)
    fetch = FakeFetch()

    def cancelling(context: FetchContext, target: Target) -> Result:
        if context.idx == 5:
            Runner().cancel(job_id)
        return fetch(context, target)

    with CaptureQueriesContext(connection) as captured:
        Runner(cancelling).drain(job_id)
    reads = [
        query["sql"]
        for query in captured.captured_queries
        if query["sql"].startswith("SELECT") and "batch_batchtarget" in query["sql"]
    ]
    assert len(reads) == 1
    assert "LIMIT" in reads[0]


def test_a_submit_of_many_targets_takes_few_statements() -> None:
    with CaptureQueriesContext(connection) as small:
        submit(10)
    with CaptureQueriesContext(connection) as large:
        submit(900)
    assert len(large.captured_queries) <= len(small.captured_queries) + 12
    assert Runner(content, ROOMY).latest(1)[0].targets_total == 900
