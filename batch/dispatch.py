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
from weakref import WeakSet

from django.core.exceptions import ImproperlyConfigured
from django.db import connections, transaction

from batch import database
from batch.conf import settings
from batch.loading import load
from batch.text import one_line

logger = logging.getLogger("batch")
_threads: WeakSet[threading.Thread] = WeakSet()


def announce(job_id: str, drain: Callable[[str], bool], using: str) -> None:
    """Hand the job on at the commit of the transaction in which this is called.

    ``drain`` is what a thread of this process would call. Raises ``ImproperlyConfigured``,
    before anything is committed, when there is nothing to hand it to.
    """
    way = settings().dispatch
    if way == "worker":
        database.notify(using)  # PostgreSQL delivers it with the commit itself
        return
    hand_on = _hand_on(way, drain)

    def at_commit() -> None:
        hand_on(job_id)

    transaction.on_commit(at_commit, using=using, robust=True)


def finish_threads() -> None:
    """Wait for the drains that ``thread`` began in this process."""
    for thread in list(_threads):
        thread.join()


def _hand_on(way: str, drain: Callable[[str], bool]) -> Callable[[str], object]:
    if way == "thread":
        return partial(_in_a_thread, drain)
    if way == "celery":
        return _celery_task()
    return load("DISPATCH", way)


def _in_a_thread(drain: Callable[[str], bool], job_id: str) -> None:
    def work() -> None:
        try:
            drain(job_id)
        except Exception:
            logger.exception("drain_failed", extra={"job": job_id})
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, name=f"batch-{job_id}", daemon=True)
    _threads.add(thread)
    thread.start()


def _celery_task() -> Callable[[str], object]:
    try:
        from celery import current_app  # only where the host has it
        from kombu.exceptions import OperationalError
    except ImportError as error:
        raise ImproperlyConfigured(
            'BATCH["DISPATCH"] is "celery", and celery is not installed: pip install celery'
        ) from error

    def send(job_id: str) -> None:
        try:
            current_app.send_task("batch.drain", args=[job_id])
        except OperationalError as error:
            # The job is stored, and batch.tend sends what nobody took.
            logger.error("not_sent", extra={"job": job_id, "error": one_line(str(error))})

    return send
