"""What `manage.py check` says of settings and of the database."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import Error, Warning, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.test import override_settings

from batch.checks import check_database, check_settings
from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Target
from tests.connection import connection
from tests.databases import ALIAS, KIND


@pytest.mark.parametrize("key", ["VALIDATE", "LANE", "CALLER", "DISPATCH"])
@pytest.mark.parametrize("path", ["no.such.thing", "os.path.nothing", "os.sep"])
def test_a_path_that_names_no_function_is_an_error(key: str, path: str) -> None:
    with override_settings(BATCH={key: path}):
        (found,) = check_settings()
    assert isinstance(found, Error)
    assert found.id == "batch.E004"
    assert key in found.msg
    assert path in found.msg
    assert found.hint


@pytest.mark.parametrize("path", ["no.such.thing", "os.path.nothing", "os.sep"])
def test_a_fetch_that_a_web_process_may_lack_is_a_warning(path: str) -> None:
    with override_settings(BATCH={"FETCH": path}):
        (found,) = check_settings()
    assert isinstance(found, Warning)
    assert found.id == "batch.W010"
    assert path in found.msg


def test_what_went_wrong_in_a_module_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_fetching.py").write_text("raise ValueError('no\\nkey')")
    monkeypatch.syspath_prepend(tmp_path)
    with override_settings(BATCH={"FETCH": "broken_fetching.fetch"}):
        (found,) = check_settings()
    assert found.msg == (
        "BATCH['FETCH']: 'broken_fetching.fetch' cannot be imported (ValueError: no key)"
    )


def test_a_bad_setting_of_the_fetch_that_comes_along_is_told() -> None:
    batch = {"FETCH": "sift_batch.wiring.fetch"}
    with override_settings(BATCH=batch, SIFT_FETCH={"MAX_PAGE": 7}):
        (found,) = check_settings()
    assert found.id == "batch.W010"
    assert "SIFT_FETCH has no key 'MAX_PAGE'" in found.msg
    with override_settings(BATCH=batch, SIFT_FETCH={"MAX_PAGES": 7}):
        assert check_settings() == []


@pytest.mark.parametrize(
    ("batch", "wanted"),
    [
        ({"CLAIM_SECONDS": 19}, ["batch.W004"]),
        ({"CLAIM_SECONDS": 20}, []),
        ({"CLAIM_SECONDS": 301, "TTL_SECONDS": 300}, ["batch.W004"]),
        ({"CLAIM_SECONDS": 301, "TTL_SECONDS": timedelta(hours=1)}, []),
        ({"TARGET_TIMEOUT_SECONDS": 601, "TTL_SECONDS": 600}, ["batch.W004"]),
        ({"ISOLATION": "thread"}, []),
        ({"ISOLATION": "thread", "TARGET_MEMORY_BYTES": 0}, []),
        ({"ISOLATION": "thread", "TARGET_MEMORY_BYTES": 1}, ["batch.W005"]),
        ({"ISOLATION": "thread", "TARGET_TIMEOUT_SECONDS": 9}, ["batch.W005"]),
        ({"ISOLATION": "process", "TARGET_TIMEOUT_SECONDS": 9}, []),
        ({"JOBS_PER_CALLER": 9}, ["batch.W006"]),
        ({"JOBS_PER_CALLER": 9, "JOBS_TOTAL": 9}, []),
        ({"CLASSES": {"staff": {"JOBS_PER_CALLER": 9}}}, ["batch.W006"]),
        ({"CLASSES": {"staff": {"JOBS_PER_CALLER": 9, "JOBS_TOTAL": 9}}}, []),
        ({"CLASSES": {"bot": {"JOBS_TOTAL": 1}}, "JOBS_PER_CALLER": 2}, ["batch.W006"]),
    ],
    ids=str,
)
def test_settings_that_do_not_go_together_are_warned_of(
    batch: dict[str, Any], wanted: list[str]
) -> None:
    with override_settings(BATCH=batch):
        found = check_settings()
    assert [message.id for message in found] == wanted
    assert all(message.hint for message in found)


def asked(**kwargs: Any) -> list[str | None]:
    with override_settings(USE_TZ=True):
        return [message.id for message in run_checks(tags=["batch"], **kwargs)]


@pytest.mark.only_on("sqlite", "sqlite-default")
@pytest.mark.django_db
def test_sqlite_without_wal_is_warned_of_where_the_database_may_be_asked() -> None:
    assert ("batch.W007" in asked(databases=[ALIAS])) is (KIND == "sqlite-default")
    assert "batch.W007" not in asked()
    assert "batch.W007" not in asked(databases=["another"])


@pytest.mark.only_on("mariadb")
@pytest.mark.django_db
def test_mariadb_as_it_should_be_is_not_warned_of() -> None:
    assert asked(databases=[ALIAS]) == []


@pytest.mark.only_on("mariadb")
@pytest.mark.django_db(transaction=True)
def test_mariadb_that_cannot_hold_every_text_is_warned_of() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET character_set_database = latin1, character_set_connection = utf8")
        assert asked(databases=[ALIAS]) == ["batch.W008"] * 2
    finally:
        connection.close()


@pytest.mark.only_on("mariadb")
@pytest.mark.django_db
def test_a_result_that_mariadb_would_refuse_is_warned_of() -> None:
    with override_settings(BATCH={"RESULT_MAX_BYTES": 2**30}):
        assert asked(databases=[ALIAS]) == ["batch.W009"]


def test_a_celery_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celery", None)
    with override_settings(BATCH={"DISPATCH": "celery"}):
        (found,) = check_settings()
    assert found.id == "batch.E004"


@pytest.mark.django_db
def test_nothing_is_stored_that_could_not_be_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celery", None)
    with (
        override_settings(BATCH={"DISPATCH": "celery"}),
        pytest.raises(ImproperlyConfigured, match="celery"),
    ):
        Runner().submit("ann", "", [Target("https://e.com/")])
    assert not BatchJob.objects.exists()


@pytest.mark.parametrize("rule", [{"PER_LANE": 1}, {"LANE_PAUSE_SECONDS": 0.5}])
def test_limits_of_lanes_that_nothing_has_are_warned_of(rule: dict[str, float]) -> None:
    with override_settings(BATCH=rule):
        assert [message.id for message in check_settings()] == ["batch.W003"]
    with override_settings(BATCH={**rule, "LANE": "sift_batch.wiring.lane"}):
        assert check_settings() == []


@pytest.mark.django_db
def test_sqlite_in_deferred_mode_is_warned_of() -> None:
    deferred = KIND == "sqlite-default"
    with override_settings(USE_TZ=True):
        found = [message.id for message in check_database()]
    assert found == (["batch.W001"] if deferred else [])


@pytest.mark.django_db
def test_a_database_that_never_commits_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings[ALIAS], "AUTOCOMMIT", False)
    assert "batch.E005" in [message.id for message in check_database()]


@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "warned"), [("Europe/Vienna", True), ("UTC", False)])
def test_local_times_are_warned_of(zone: str, warned: bool) -> None:
    with override_settings(USE_TZ=False, TIME_ZONE=zone):
        assert ("batch.W002" in [message.id for message in check_database()]) is warned
