"""What `manage.py check` says of paths that lead nowhere."""

import sys

import pytest
from django.core.checks import Error
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.test import override_settings

from batch.checks import check_database, check_settings
from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Target
from tests.databases import KIND


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


def test_a_fetch_that_a_web_process_lacks_is_none() -> None:
    with override_settings(BATCH={"FETCH": "no.such.thing"}):
        assert check_settings() == []


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
    assert [message.id for message in check_database()] == (["batch.W001"] if deferred else [])


@pytest.mark.django_db
def test_a_database_that_never_commits_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings["default"], "AUTOCOMMIT", False)
    assert "batch.E005" in [message.id for message in check_database()]


@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "warned"), [("Europe/Vienna", True), ("UTC", False)])
def test_local_times_are_warned_of(zone: str, warned: bool) -> None:
    with override_settings(USE_TZ=False, TIME_ZONE=zone):
        assert ("batch.W002" in [message.id for message in check_database()]) is warned
