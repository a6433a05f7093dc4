"""An outage is told seldom: every thread of a process meets the same one, again and again."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

logger = logging.getLogger("batch")

EVERY_SECONDS = 15.0


class Seldom:
    """Lets a first line through at once, then one in ``EVERY_SECONDS``, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_at = 0.0

    def due(self) -> bool:
        """Whether a line may be written now. Ask only to write it."""
        with self._lock:
            now = time.monotonic()
            if now < self._next_at:
                return False
            self._next_at = now + EVERY_SECONDS
            return True


class Outage:
    """What one process tells of a database that goes away and comes back."""

    def __init__(self) -> None:
        self._seldom = Seldom()
        self._told = False

    def away(self, **extra: Any) -> None:
        """The database did not answer."""
        if self._seldom.due():
            self._told = True
            logger.warning("database_away", extra=extra)

    def back(self, **extra: Any) -> None:
        """It answered one of those who met its absence: told once for each ``database_away``,
        or for several, and never without one."""
        if self._told:
            self._told = False
            logger.info("database_back", extra=extra)


outage = Outage()
