"""A log line: time, level, logger, event, and the ids behind it."""

import logging
import sys
from typing import Any

from batch.logs import LineFormatter
from sift_batch.settings import LOGGING


def line(message: str, **extra: Any) -> str:
    record = logging.makeLogRecord(
        {
            "msg": message,
            "name": "batch.worker",
            "levelname": "INFO",
            "created": 0.25,
            "msecs": 250.0,
        }
        | extra
    )
    return LineFormatter(LOGGING["formatters"]["line"]["format"]).format(record)


def test_a_line_has_the_time_in_utc_the_event_and_its_ids() -> None:
    expected = "1970-01-01T00:00:00.250Z INFO batch.worker job_claimed job=0190 idx=3"
    assert line("job_claimed", job="0190", idx=3) == expected


def test_a_value_with_spaces_is_quoted() -> None:
    assert line("target_failed", error='no "b" here').endswith(r'error="no \"b\" here"')


def test_text_from_outside_cannot_forge_a_second_line() -> None:
    shown = line("bad\nline", error="a\nb\r\x1b")
    assert "\n" not in shown
    assert "\r" not in shown
    assert "\x1b" not in shown


def test_a_traceback_has_no_credentials() -> None:
    try:
        raise ValueError("row (1, http://ann:hunter2@h/?token=SECRET1)")
    except ValueError:
        shown = line("outcome_refused", exc_info=sys.exc_info())
    assert "ValueError" in shown
    assert "hunter2" not in shown
    assert "SECRET1" not in shown
