"""What a crew of workers has to do, given to all of them at one moment, and how long they took."""

from __future__ import annotations

import itertools
import time
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Max, Min, Sum

from batch.models import BatchJob, BatchWorker
from batch.runner import Runner
from batch.types import Target

LONGEST_SECONDS = 600.0
_numbers = itertools.count()


def prepare() -> None:
    call_command("migrate", verbosity=0)


def seen() -> int:
    """How many workers have said that they live."""
    return BatchWorker.objects.count()


def work(jobs: int, targets: int, host: str) -> dict[str, Any]:
    """Submit jobs in one transaction, so that nobody has a start, and wait for their end."""
    callers = f"crew {next(_numbers)}"
    with transaction.atomic():
        for job in range(jobs):
            given = [Target(f"{host}{callers}/{job}/{i}") for i in range(targets)]
            Runner().submit(callers, "", given)
    mine = BatchJob.objects.filter(caller=callers)
    ends = time.monotonic() + LONGEST_SECONDS
    while mine.filter(finished_at=None).exists():
        if time.monotonic() > ends:
            raise RuntimeError("the crew did not end its jobs")
        time.sleep(0.1)
    found = mine.aggregate(Min("started_at"), Max("finished_at"), Sum("targets_done"))
    assert mine.filter(status="done").count() == jobs
    seconds = (found["finished_at__max"] - found["started_at__min"]).total_seconds()
    return {
        "rate": found["targets_done__sum"] / seconds,
        "connections": _connections(),
    }


def _connections() -> int:
    """Of the workers: all but this one."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
        )
        return int(cursor.fetchone()[0])


ASKED = (seen, work)
