"""A worker's slots: threads that drain one job at a time, each with a child of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from django.db import connections

from batch.drain import Drain
from batch.isolation import ChildFailedError, Isolation

logger = logging.getLogger("batch")


class Slot:
    """Keeps its thread, its database connection and its child from job to job."""

    def __init__(
        self,
        isolation: Isolation,
        park: Callable[[Drain, float], None],
        freed: Callable[[], None],
    ) -> None:
        """In the slot's thread, ``park`` is called with a drain that has to wait and for how
        many seconds, and ``freed`` whenever the slot is free again."""
        self.drain: Drain | None = None
        self._isolation = isolation
        self._park = park
        self._freed = freed
        self._jobs: SimpleQueue[Drain | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="batch-slot", daemon=True)
        self._thread.start()

    def take(self, drain: Drain) -> None:
        """Run this drain. The slot has to be free."""
        self.drain = drain
        self._jobs.put(drain)

    def finish(self) -> None:
        """Take no more jobs; the thread ends after the one in hand."""
        self._jobs.put(None)

    def ended(self, seconds: float) -> bool:
        """Whether the thread has ended, waiting up to ``seconds`` for it."""
        self._thread.join(max(0.0, seconds))
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._isolation.warm()
        except ChildFailedError as error:
            logger.error("child_failed", extra={"error": str(error)})
        while drain := self._jobs.get():
            try:
                seconds = drain.run(self._isolation)
                if seconds is not None:
                    self._park(drain, seconds)
            except BaseException:  # a receiver's SystemExit, say: the slot outlives it
                logger.exception("slot_broken", extra={"job": str(drain.claim.job_id)})
                drain.fail()
            finally:
                self.drain = None
                self._freed()
        self._isolation.close()
        connections.close_all()
