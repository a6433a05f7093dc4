"""Rule 10: an outcome that was fetched survives a database that goes away for a while."""

import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections, transaction

from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import FetchContext, Result, Target
from tests.connection import connection
from tests.databases import ALIAS
from tests.rules.jobs import ROOMY, change, row, rows, states, submit, targets, terminal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh_connection() -> Iterator[None]:
    """What a test did to its connection ends with it, before the tables are emptied."""
    yield
    connection.close()


def in_another_thread(work: Any) -> None:
    """Runs `work` with a connection of its own, and waits for it."""

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def own_backend() -> int:
    sql = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}
    with connection.cursor() as cursor:
        cursor.execute(sql[connection.vendor])
        return int(cursor.fetchone()[0])


def end_backend(number: int) -> None:
    """Ends a connection from the server's side, as an administrator or a proxy does."""
    sql = {"postgresql": "SELECT pg_terminate_backend(%s)", "mysql": "KILL %s"}

    def work() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql[connection.vendor], [number])

    in_another_thread(work)


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.not_with("pgbouncer")  # where no session is a connection's own
def test_a_connection_that_is_cut_during_a_fetch_loses_nothing() -> None:
    fetch = FakeFetch()

    def cutting(context: FetchContext, target: Target) -> Result:
        end_backend(own_backend())
        return fetch(context, target)

    runner = Runner(cutting, ROOMY)
    given = targets(4)
    job_id = runner.submit("ann", "", given).id
    assert runner.drain(job_id)
    assert fetch.urls == [target.url for target in given]
    assert (row(job_id).status, states(job_id)) == ("done", ["done"] * 4)


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.not_with("pgbouncer")  # where no session is a connection's own
@pytest.mark.parametrize(
    "method", ["submit", "check", "cancel", "job", "status", "retry", "delete", "reap", "purge"]
)
def test_a_connection_that_went_stale_is_replaced_whatever_is_asked_for(method: str) -> None:
    job_id, ended = submit(), terminal("failed")
    runner = Runner(config=ROOMY)
    calls = {
        "submit": lambda: runner.submit("ann", "", targets()),
        "check": lambda: runner.check("", targets()) == [],
        "cancel": lambda: runner.cancel(job_id),
        "job": lambda: runner.job(job_id),
        "status": lambda: runner.status(job_id),
        "retry": lambda: runner.retry(ended),
        "delete": lambda: runner.delete(ended) is None,
        "reap": lambda: runner.mark_in_flight_failed("restart") == 0,
        "purge": lambda: runner.purge() == 0,
    }
    end_backend(own_backend())
    assert calls[method]()


@pytest.mark.only_on("postgres")
@pytest.mark.not_with("pgbouncer")  # where no session is a connection's own
def test_a_limit_for_idle_transactions_cuts_nothing_off() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET idle_in_transaction_session_timeout = '300ms'")
    fetch = FakeFetch(seconds=0.5)
    runner = Runner(fetch, ROOMY)
    job_id = runner.submit("ann", "", targets(2)).id
    before = own_backend()
    assert runner.drain(job_id)
    assert states(job_id) == ["done", "done"]
    assert own_backend() == before


@pytest.mark.only_on("mariadb")
def test_a_session_that_timed_out_during_a_slow_fetch_loses_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION wait_timeout = 1")
    before = own_backend()
    fetch = FakeFetch(seconds=2)
    runner = Runner(fetch, ROOMY)
    job_id = runner.submit("ann", "", targets(1)).id
    assert runner.drain(job_id)
    assert (row(job_id).status, len(fetch.calls)) == ("done", 1)
    assert own_backend() != before


@pytest.mark.only_on("mariadb")
def test_what_is_too_much_for_one_packet_costs_its_target_alone(settings: Any) -> None:
    given = targets(3)
    # The server's limit is 16 MiB, and it cuts the connection rather than say so.
    fetch = FakeFetch(results={given[1].url: Result("x" * (20 * 1024**2))})
    settings.BATCH = {"RESULT_MAX_BYTES": 30 * 1024**2}
    runner = Runner(fetch, ROOMY)
    job_id = runner.submit("ann", "", given).id
    assert runner.drain(job_id)
    assert states(job_id) == ["done", "failed", "done"]
    target = rows(job_id)[1]
    assert target.code == "bad_result"
    assert "refused" in target.error
    assert len(fetch.calls) == 3


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.not_with("pgbouncer")  # where no session is a connection's own
def test_an_outcome_waits_for_a_lock_that_another_holds_for_long() -> None:
    job_id = submit(2)
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(using=ALIAS):
            change(job_id, error="")
            locked.set()
            release.wait(20)

    def fetch(context: FetchContext, target: Target) -> Result:
        if context.idx == 0:
            holder.start()
            locked.wait(5)
            threading.Timer(1.5, release.set).start()
        return Result("content")

    holder = threading.Thread(target=lambda: (hold(), connections.close_all()))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET lock_timeout = '200ms'")
        else:
            cursor.execute("SET SESSION innodb_lock_wait_timeout = 1")
    assert Runner(fetch).drain(job_id)
    holder.join()
    assert states(job_id) == ["done", "done"]


@pytest.mark.only_on("sqlite", "sqlite-default")
def test_an_outcome_waits_while_another_process_holds_the_file() -> None:
    job_id = submit(2)
    other = sqlite3.connect(connection.settings_dict["NAME"], check_same_thread=False)
    other.isolation_level = None
    fetch = FakeFetch()

    def locking(context: FetchContext, target: Target) -> Result:
        if context.idx == 0:
            other.execute("BEGIN EXCLUSIVE")
            threading.Timer(1.5, lambda: other.execute("COMMIT")).start()
        return fetch(context, target)

    # So short a patience that the driver gives up several times.
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    assert Runner(locking).drain(job_id)
    other.close()
    assert states(job_id) == ["done", "done"]
    assert len(fetch.calls) == 2


def test_an_outcome_is_given_up_when_the_job_is_no_longer_ours() -> None:
    job_id = submit(3)
    fetch = FakeFetch()

    def losing(context: FetchContext, target: Target) -> Result:
        in_another_thread(lambda: Runner().mark_in_flight_failed("restart", sole=True))
        return fetch(context, target)

    assert Runner(losing).drain(job_id)
    assert len(fetch.calls) == 1
    assert (row(job_id).status, row(job_id).error) == ("failed", "restart")
    assert states(job_id) == ["failed", "pending", "pending"]


def test_a_fetch_that_closes_the_connection_harms_nothing() -> None:
    job_id = submit(3)

    def closing(context: FetchContext, target: Target) -> Result:
        connection.close()
        return Result("content")

    assert Runner(closing).drain(job_id)
    assert states(job_id) == ["done"] * 3


def test_a_fetch_that_leaves_a_transaction_open_harms_nothing() -> None:
    job_id = submit(3)

    def opening(context: FetchContext, target: Target) -> Result:
        if context.idx == 1:
            connection.set_autocommit(False)
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        return Result("content")

    assert Runner(opening).drain(job_id)
    seen: list[list[str]] = []
    in_another_thread(lambda: seen.append(states(job_id)))
    assert seen == [["done"] * 3]


def test_a_fetch_that_leaves_an_atomic_block_open_harms_nothing() -> None:
    job_id = submit(3)

    def opening(context: FetchContext, target: Target) -> Result:
        if context.idx == 1:
            transaction.atomic(using=ALIAS).__enter__()
        return Result("content")

    assert Runner(opening).drain(job_id)
    seen: list[list[str]] = []
    in_another_thread(lambda: seen.append(states(job_id)))
    assert seen == [["done"] * 3]
