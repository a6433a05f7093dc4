"""Python imports this by itself where its folder is in PYTHONPATH: a wall clock that is wrong.

The database's clock, and the steady clocks of the system, stay right.
"""

import datetime
import os
import time

_WRONG_BY = float(os.environ.get("TEST_CLOCK_WRONG_BY", "0"))
_time, _time_ns = time.time, time.time_ns


class _DateTime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return super().now(tz) + datetime.timedelta(seconds=_WRONG_BY)

    @classmethod
    def utcnow(cls) -> datetime.datetime:
        return cls.now(datetime.UTC).replace(tzinfo=None)


if _WRONG_BY:
    time.time = lambda: _time() + _WRONG_BY
    time.time_ns = lambda: _time_ns() + int(_WRONG_BY * 1_000_000_000)
    datetime.datetime = _DateTime  # type: ignore[misc]
