"""What a waiting worker waits on: its bell, and word from the database of a new job.

On PostgreSQL that is NOTIFY, on a connection of its own. On SQLite it is ``PRAGMA
data_version``, which tells within microseconds whether another connection has written. Both
only cut a wait short: a worker that gets no word finds the job at its next poll.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import time
from typing import Any, Protocol

from django.db import connections
from django.db.utils import Error

from batch.database import CHANNEL
from batch.outages import Seldom

logger = logging.getLogger("batch")

SQLITE_SECONDS = 0.05
LISTEN_AGAIN_SECONDS = 5.0
POOLED = "DISABLE_SERVER_SIDE_CURSORS"  # what Django has set where a pooler is in between


class Bell:
    """Ends a wait from another thread or from a signal handler, where locks may not be taken."""

    def __init__(self) -> None:
        self._heard, self._rope = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._heard, select.POLLIN)

    def ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # full: it rings already
            os.write(self._rope, b"!")

    def watch(self, fd: int) -> None:
        """Let what can be read there end a wait as well."""
        self._poll.register(fd, select.POLLIN)

    def unwatch(self, fd: int) -> None:
        self._poll.unregister(fd)

    def wait(self, seconds: float) -> bool:
        """Wait until it rings or something it watches can be read; False when neither came."""
        if not self._poll.poll(max(0.0, seconds) * 1000):
            return False
        with contextlib.suppress(BlockingIOError):  # it was the other one
            os.read(self._heard, 4096)
        return True

    def close(self) -> None:
        os.close(self._heard)
        os.close(self._rope)


class Waiting(Protocol):
    def wait(self, seconds: float) -> None:
        """Wait for ``seconds``, or less when there may be something to do."""

    def close(self) -> None: ...


class Polling:
    """Where a database has no word to give."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell

    def wait(self, seconds: float) -> None:
        self._bell.wait(seconds)

    def close(self) -> None:
        """Nothing is held."""


class Watching:
    """SQLite: another connection's commit changes this one's ``data_version``."""

    def __init__(self, bell: Bell, using: str) -> None:
        self._bell = bell
        self._using = using
        self._version: Any = None

    def wait(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        connection = connections[self._using]
        try:
            connection.ensure_connection()
        except Error:  # which the next step will meet as well
            self._bell.wait(seconds)
            return
        # The driver's connection: Django's cursor would log and time each of these questions.
        # Twenty rounds a second, each with cold caches, are most of what an idle worker uses.
        rings, ask = self._bell.wait, connection.connection.execute
        while (left := ends - time.monotonic()) > 0:
            if rings(min(left, SQLITE_SECONDS)):
                return
            try:
                version = ask("PRAGMA data_version").fetchone()
            except Exception:  # of the driver's own classes: locked or gone, as a step will say
                continue
            if version != self._version:
                self._version = version
                return

    def close(self) -> None:
        """Nothing is held."""


class Listening:
    """PostgreSQL: NOTIFY. When the connection dies, waiting goes on without it for a while."""

    def __init__(self, bell: Bell, using: str) -> None:
        self._bell = bell
        self._using = using
        self._wrapper: Any = None
        self._fd = -1  # of its socket: a dead connection no longer says
        self._again_at = 0.0
        self._seldom = Seldom()

    def wait(self, seconds: float) -> None:
        if self._wrapper is None and time.monotonic() >= self._again_at:
            self._listen()
        if self._wrapper is None:
            self._bell.wait(seconds)
            return
        try:
            if self._bell.wait(seconds):
                for _ in self._wrapper.connection.notifies(timeout=0):
                    pass  # one look at the table serves them all
        except Exception as error:  # of the driver's own classes: it is not behind Django here
            self._give_up(error)

    def _listen(self) -> None:
        # A copy with a connection of its own, and none from a pool that drains need in full.
        wrapper = connections[self._using].copy()
        wrapper.settings_dict["OPTIONS"].pop("pool", None)
        try:
            with wrapper.cursor() as cursor:
                cursor.execute(f"LISTEN {CHANNEL}")
        except Error as error:
            self._give_up(error)
        else:
            self._wrapper = wrapper
            self._fd = wrapper.connection.fileno()
            self._bell.watch(self._fd)

    def _give_up(self, error: Exception) -> None:
        if self._seldom.due():
            logger.warning("not_listening", extra={"error": str(error).splitlines()[0][:200]})
        self.close()
        self._again_at = time.monotonic() + LISTEN_AGAIN_SECONDS

    def close(self) -> None:
        wrapper, self._wrapper = self._wrapper, None
        if wrapper is not None:
            self._bell.unwatch(self._fd)
            with contextlib.suppress(Exception):  # it is dead already, mostly
                wrapper.close()


def waiting(bell: Bell, using: str) -> Waiting:
    """The best way to wait on this database."""
    connection = connections[using]
    if connection.vendor == "sqlite":
        return Watching(bell, using)
    # Through a pooler between transactions LISTEN reaches a connection that is another client's
    # a moment later: that one would be told, and keep what it never asked for.
    if connection.vendor == "postgresql" and not connection.settings_dict[POOLED]:
        from django.db.backends.postgresql.psycopg_any import is_psycopg3

        if is_psycopg3:
            return Listening(bell, using)
    return Polling(bell)
