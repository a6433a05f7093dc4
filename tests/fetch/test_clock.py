"""The clocks of a target: the one of the whole and the one of a conversion."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from batch.errors import FetchError
from sift_batch.fetch.clock import Clock, conversion_clock

from .kit import error_of


@pytest.fixture(autouse=True)
def _alarms_as_before() -> Iterator[None]:
    handler, timer = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    yield
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, *timer)


def endless() -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # as libraries do
            continue


def test_a_clock_ends_before_the_deadline_and_never_after_its_parent() -> None:
    near = Clock(60, datetime.now(UTC) + timedelta(seconds=10))
    assert 8.5 < near.seconds < 10
    assert near.share(2 / 3).seconds < near.seconds
    assert Clock(60, datetime.now(UTC) - timedelta(seconds=1)).seconds == 0


def test_a_clock_that_ran_out_says_after_how_long() -> None:
    clock = Clock(0)
    with pytest.raises(FetchError, match="within 0 s") as caught:
        clock.check()
    assert caught.value.code == "timeout"


def convert(seconds: float, clock: Clock) -> None:
    with conversion_clock(seconds, clock):
        endless()


def test_a_conversion_without_end_is_too_complex() -> None:
    assert error_of(lambda: convert(0.1, Clock(5))).code == "too_complex"


def test_a_conversion_that_outlives_its_target_is_a_timeout() -> None:
    assert error_of(lambda: convert(5, Clock(0.1))).code == "timeout"


def test_the_alarm_of_others_goes_on_where_it_was() -> None:
    rung: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    with conversion_clock(5, Clock(5)):
        time.sleep(0.1)
    assert rung == []
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < left <= 0.3
    time.sleep(left + 0.2)
    assert rung == [signal.SIGALRM]


def test_a_handler_that_is_not_pythons_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    real = signal.signal

    def foreign(number: int, handler: Any) -> Any:
        real(number, handler)
        return None

    monkeypatch.setattr(signal, "signal", foreign)
    with conversion_clock(5, Clock(5)):
        pass
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_beside_the_main_thread_there_is_no_alarm() -> None:
    done: list[bool] = []

    def work() -> None:
        with conversion_clock(0.05, Clock(5)):
            time.sleep(0.2)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)
    assert done == [True]
