"""The tasks with which Celery drains jobs (``DISPATCH = "celery"``) and keeps them in order.

Imported by Celery alone, which a host names this module to: docs/operations.md. What holds for a
job is in its row and not in a message, so a message may be lost, late, or delivered twice.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from billiard import current_process
from celery import shared_task
from django.core.exceptions import ImproperlyConfigured

from batch import conf, database
from batch.models import BatchJob
from batch.moves import lanes, remove
from batch.moves.end import RESTART
from batch.runner import Runner
from batch.text import one_line

logger = logging.getLogger("batch")


# A job is never resumed, so its message is done with when the drain begins. Acknowledged late, it
# would be taken for lost and delivered again while a long drain goes on.
@shared_task(
    name="batch.drain", acks_late=False, ignore_result=True, throws=(ImproperlyConfigured,)
)  # type: ignore[untyped-decorator]
def drain(job_id: str) -> None:
    """Drain this job, unless somebody else has it or had it."""
    try:
        _check_pool()
        Runner().drain(job_id)
    except ImproperlyConfigured as error:
        logger.error("drain_refused", extra={"job": job_id, "why": one_line(str(error))})
        raise


@shared_task(name="batch.tend", ignore_result=True)  # type: ignore[untyped-decorator]
def tend() -> None:
    """What a worker's main loop does beside its drains; beat sends this every CLAIM_SECONDS."""
    runner = Runner()
    _let_the_living_renew()
    if reaped := runner.mark_in_flight_failed(RESTART):
        logger.warning("jobs_reaped", extra={"jobs": reaped})
    # What is left goes next time: dead workers' jobs are not to wait for a long purge.
    if purged := remove.purge(database.alias(), seconds=conf.settings().claim_seconds / 4):
        logger.info("jobs_purged", extra={"jobs": purged})
    lanes.sweep(database.alias())
    if left := _left_waiting():
        for job_id in left:
            drain.delay(job_id)
        logger.info("jobs_sent_again", extra={"jobs": len(left)})


def _check_pool() -> None:
    if conf.settings().isolation == "process" and current_process().daemon:
        raise ImproperlyConfigured(
            'BATCH["ISOLATION"] is "process", and the processes of Celery\'s prefork pool may not'
            " have children: start the worker with --pool threads"
        )


def _let_the_living_renew() -> None:
    """When the database was away, claims have run out whose drains go on. They are renewed every
    quarter of CLAIM_SECONDS, so what is still there after more than that is dead."""
    using = database.alias()
    lapsed = BatchJob.objects.using(using).lapsed(database.now(using))
    if database.repeat(lapsed.exists, using):
        time.sleep(conf.settings().claim_seconds / 3)


def _left_waiting() -> list[str]:
    """Jobs that nobody took for so long that their message may be lost."""
    using = database.alias()
    stale = database.now(using) - timedelta(seconds=conf.settings().claim_seconds)
    jobs = BatchJob.objects.using(using).claimable().filter(created_at__lt=stale)
    return database.repeat(
        lambda: [str(job_id) for job_id in jobs.values_list("id", flat=True)], using
    )
