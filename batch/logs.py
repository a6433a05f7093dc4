"""One line a record: time, level, logger, event, then the ids as `key=value`."""

import json
import logging
import time
from typing import Any

from batch.text import masked

_ORDINARY = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}


def _value(value: Any) -> str:
    text = str(value)
    # Quoted wherever it could be taken for more than one value or one line.
    return text if text.isprintable() and text and not set(text) & set(' "=') else json.dumps(text)


def show_events() -> None:
    """Write the events of this app to stderr where the host's LOGGING has no place for them.

    Django's default has none: a worker would run without a word, and a traceback be lost.
    """
    logger = logging.getLogger("batch")
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)


class LineFormatter(logging.Formatter):
    """Writes what `extra=` gave a record behind its event, in the order it was given.

    Times are UTC, so that the lines of hosts in different places sort together.
    """

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def formatException(self, ei: Any) -> str:
        """A traceback quotes what a database refused, or what somebody asked for."""
        return masked(super().formatException(ei))

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        # A message may quote text from outside; it must not be able to forge a second line.
        line = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)
        extra = [
            f"{key}={_value(value)}"
            for key, value in record.__dict__.items()
            if key not in _ORDINARY
        ]
        return " ".join([line, *extra])
