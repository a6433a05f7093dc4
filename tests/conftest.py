"""Fixtures for all tests, and which tests run on which database."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import TransactionTestCase

from batch import outages
from tests.databases import ALIAS, KIND, WITH
from tests.machine import is_allowed
from tests.network import refuse_other_machines
from tests.processes import Processes

# Set where a server is known to be there: a test that was skipped on it then proves nothing.
NO_SKIPS = "TEST_NO_SKIPS"


def _uses_database(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    if item.get_closest_marker("django_db") or {"db", "transactional_db"} & set(fixtures):
        return True
    cls = getattr(item, "cls", None)
    return cls is not None and issubclass(cls, TransactionTestCase)


def _belongs_here(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("only_on")
    without = {word for mark in item.iter_markers("not_with") for word in mark.args}
    here = marker is None or bool({KIND, *WITH} & set(marker.args))
    return here and not without & WITH


def _has_all_databases(item: pytest.Item) -> None:
    """Let a test use the second database as well, which it does not know of."""
    cls = getattr(item, "cls", None)
    if cls is not None and issubclass(cls, TransactionTestCase):
        cls.databases = "__all__"
        return
    marker = item.get_closest_marker("django_db")
    asked = marker.kwargs if marker else {"transaction": "transactional_db" in item.fixturenames}
    item.add_marker(pytest.mark.django_db(**asked, databases="__all__"), append=False)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        # By what a test asks for, since a mark set by hand would be forgotten.
        if _uses_database(item):
            item.add_marker("services")
            if ALIAS != "default":
                _has_all_databases(item)
    elsewhere = [item for item in items if not _belongs_here(item)]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if _belongs_here(item)]


def _forbidden_skips(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not reporter or not os.environ.get(NO_SKIPS):
        return 0
    return sum(not is_allowed(str(skip.longrepr)) for skip in reporter.stats.get("skipped", []))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _forbidden_skips(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if skipped := _forbidden_skips(config):
        terminalreporter.write_line(f"{NO_SKIPS} is set and {skipped} tests were skipped", red=True)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """PgBouncer keeps its connections, so no database behind it can be dropped at the end."""
    return django_db_keepdb or "pgbouncer" in WITH


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    refused = refuse_other_machines(monkeypatch)
    yield
    assert not refused, f"the test tried to leave this machine: {refused}"


@pytest.fixture(autouse=True)
def no_outage_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier test told of an outage keeps no line of this one back."""
    monkeypatch.setattr(outages.outage, "_seldom", outages.Seldom())


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Starts `manage.py` commands and scripts on the test's database; see tests/processes.py."""
    started = Processes(tmp_path)
    yield started
    started.end_all()
