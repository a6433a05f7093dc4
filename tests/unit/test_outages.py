"""An outage is told at once, and then seldom."""

import logging

import pytest

from batch import outages
from batch.outages import Outage, Seldom
from tests.concurrency import run_threads


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds = [1000.0]
    monkeypatch.setattr(outages.time, "monotonic", lambda: seconds[0])
    return seconds


def test_the_first_line_is_written_and_then_one_in_fifteen_seconds(clock: list[float]) -> None:
    seldom = Seldom()
    written = []
    for second in range(60):
        clock[0] = 1000.0 + second
        written += [second] * sum(seldom.due() for _ in range(4))
    assert written == [0, 15, 30, 45]


def test_of_many_threads_one_writes() -> None:
    seldom = Seldom()
    assert sum(run_threads(16, lambda i: seldom.due())) == 1


def test_a_database_that_comes_and_goes_is_told_of_seldom(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "batch")
    outage = Outage()
    outage.back()  # nobody missed it
    for second in range(30):
        clock[0] = 1000.0 + second
        outage.away(seconds=0.1)
        outage.back()
    told = [record.getMessage() for record in caplog.records]
    assert told == ["database_away", "database_back"] * 2
