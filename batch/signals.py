"""Signals for strangers: sent after the commit, never used between our own modules.

``job_submitted(job_id)``, ``target_finished(job_id, idx, status)``,
``job_finished(job_id, status)``, ``claim_reaped(job_id, worker)``, ``job_refused(cap)``; what they
say are strings but for ``idx``, and there is no sender. A refusal commits nothing: it is told at
once. A receiver that raises is logged (by ``django.dispatch``) and changes nothing.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.dispatch import Signal

logger = logging.getLogger("batch")

job_submitted = Signal()
target_finished = Signal()
job_finished = Signal()
claim_reaped = Signal()
job_refused = Signal()


def send_on_commit(signal: Signal, alias: str, **what: Any) -> None:
    """Send ``signal`` once what was written is committed; at once outside a transaction."""
    if signal.has_listeners():

        def at_commit() -> None:
            _send(signal, what)

        transaction.on_commit(at_commit, using=alias, robust=True)


def send(signal: Signal, **what: Any) -> None:
    """Send ``signal`` at once, for what no commit follows."""
    if signal.has_listeners():
        _send(signal, what)


def _send(signal: Signal, what: dict[str, Any]) -> None:
    try:
        signal.send_robust(None, **what)
    except KeyboardInterrupt:
        raise  # from the terminal, most likely
    except BaseException:  # send_robust lets SystemExit and its like through
        logger.exception("receiver_raised", extra=what)
