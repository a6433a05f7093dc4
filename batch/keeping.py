"""Keeps one job in hand while another thread of this process drains it.

A worker's main loop does that for its slots. A drain outside a worker has no such loop, and a
fetch function that runs in its thread may take longer than any claim.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from datetime import timedelta

from django.db import connections
from django.db.utils import Error

from batch import database
from batch.moves.claim import Claim, renew
from batch.outages import Seldom

logger = logging.getLogger("batch")
_not_renewed = Seldom()


@contextlib.contextmanager
def kept_in_hand(claim: Claim, worker: str, hold: timedelta, using: str) -> Iterator[None]:
    """Renew ``claim`` four times in each ``hold``, until the block ends."""
    if connections[using].in_atomic_block:
        yield  # nobody else sees the job before the caller's transaction ends
        return
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(hold.total_seconds() / 4):
            try:
                renew([claim.job_id], worker, database.now(using), hold, using)
            except Error:
                # The next try is soon enough, and without the claim the drain writes nothing.
                if _not_renewed.due():
                    logger.warning("claim_not_renewed", extra={"job": str(claim.job_id)})
                connections[using].close()
        connections.close_all()

    thread = threading.Thread(target=work, name="batch-keeper", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
