"""How a submitted job reaches something that drains it, once its transaction is committed.

``worker``: workers are woken (PostgreSQL) or find it by polling. ``thread``: a thread of this
process drains it, for development. ``celery``: a task, by its name. Anything else is the dotted
path of the host's own function, called with the job's id.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from django.db import connections, transaction

from batch import database
from batch.conf import settings
from batch.loading import load

logger = logging.getLogger("batch")


def announce(job_id: str, drain: Callable[[str], bool], using: str) -> None:
    """Hand the job on at the commit of the transaction in which this is called.

    ``drain`` is what a thread of this process would call.
    """
    way = settings().dispatch
    call: Callable[[], object]
    if way == "worker":
        database.notify(using)  # PostgreSQL delivers it with the commit itself
        return
    if way == "thread":
        call = partial(_in_a_thread, drain, job_id)
    elif way == "celery":
        call = partial(_by_celery, job_id)
    else:
        call = partial(load("DISPATCH", way), job_id)
    transaction.on_commit(call, using=using, robust=True)


def _in_a_thread(drain: Callable[[str], bool], job_id: str) -> None:
    def work() -> None:
        try:
            drain(job_id)
        except Exception:
            logger.exception("drain_failed", extra={"job": job_id})
        finally:
            connections.close_all()

    threading.Thread(target=work, name=f"batch-{job_id}", daemon=True).start()


def _by_celery(job_id: str) -> None:
    from celery import current_app  # only where the host has it

    current_app.send_task("batch.drain", args=[job_id])
