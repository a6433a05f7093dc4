"""The tests' own tools do what they promise."""

import signal
import socket
import threading

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connections

from batch import database
from tests.concurrency import eventually, run_threads
from tests.connection import connection
from tests.databases import ALIAS, KIND, WITH
from tests.network import NetworkRefusedError, refuse_other_machines
from tests.processes import Processes


def test_the_run_is_on_the_database_that_was_asked_for(db: None) -> None:
    vendors = {"postgres": "postgresql", "mariadb": "mysql"}
    assert connection.vendor == vendors.get(KIND, "sqlite")


def test_the_run_has_the_variants_that_were_asked_for(db: None) -> None:
    assert settings.USE_TZ is ("local-times" not in WITH)
    assert bool(getattr(connection, "pool", None)) is ("pool" in WITH)
    assert database.alias() == ALIAS
    # Whatever used the wrong database would find no table there.
    for alias in connections:
        tables = connections[alias].introspection.table_names()
        assert ("batch_batchjob" in tables) is (alias == ALIAS)


@pytest.mark.only_on("sqlite", "sqlite-default")
def test_sqlite_has_the_options_that_were_asked_for(db: None) -> None:
    with connection.cursor() as cursor:
        mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
    assert mode == ("wal" if KIND == "sqlite" else "delete")


def test_a_process_sees_what_the_test_committed(
    transactional_db: None, processes: Processes
) -> None:
    user = get_user_model().objects.create(username="ann")
    code = "from django.contrib.auth.models import User; print(User.objects.get().username)"
    process = processes.manage("shell", "--no-imports", "-c", code)
    assert process.wait() == 0, process.err
    assert process.out == f"{user.username}\n"


def test_a_process_gets_the_settings_it_was_given(
    transactional_db: None, processes: Processes
) -> None:
    code = "from django.conf import settings; print(settings.BATCH)"
    process = processes.python("-c", code, batch={"TTL_SECONDS": 5})
    assert process.wait() == 0, process.err
    assert process.out == "{'TTL_SECONDS': 5}\n"


def test_a_process_can_be_ended(transactional_db: None, processes: Processes) -> None:
    process = processes.python("-c", "print('up'); import time; time.sleep(60)")
    eventually(lambda: "up" in process.out)
    process.send(signal.SIGTERM)
    assert process.wait(5) == -signal.SIGTERM


def test_threads_start_together_and_their_errors_come_back(transactional_db: None) -> None:
    def create(i: int) -> str:
        if i == 3:
            raise ValueError("three")
        return get_user_model().objects.create(username=str(i)).username

    before = threading.active_count()
    answers = run_threads(8, create)
    assert [str(answer) for answer in answers] == ["0", "1", "2", "three", "4", "5", "6", "7"]
    assert threading.active_count() <= before
    assert get_user_model().objects.count() == 7


def test_other_machines_are_out_of_reach() -> None:
    with pytest.MonkeyPatch.context() as patch:
        refused = refuse_other_machines(patch)
        with pytest.raises(NetworkRefusedError):
            socket.create_connection(("192.0.2.1", 80), timeout=1)
        with pytest.raises(NetworkRefusedError):
            socket.getaddrinfo("example.com", 80)
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()
    assert len(refused) == 2
