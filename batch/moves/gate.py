"""The gate: one row that every submit and retry writes before it counts.

Two submits that see no live job share no job row to lock, so a row that always exists stands
in for the count. It is written, not only locked: at REPEATABLE READ a lock alone would still
read an old snapshot, and SQLite has no row locks but takes the write lock at the first write.
"""

from __future__ import annotations

from django.db.models import F

from batch.conf import Caps
from batch.errors import CallerBusyError, JobsBusyError
from batch.models import BatchGate, BatchJob

GATE_ID = 1


def enter(using: str) -> None:
    """Wait for the gate and hold it until the transaction ends."""
    gate = BatchGate.objects.using(using).filter(id=GATE_ID)
    if not gate.update(submits=F("submits") + 1):
        # A host's flush removed the row. Several may miss it at once: one insert wins.
        BatchGate.objects.using(using).bulk_create(
            [BatchGate(id=GATE_ID, submits=0)], ignore_conflicts=True
        )
        gate.update(submits=F("submits") + 1)
    list(gate.select_for_update())


def check_caps(caller: str, caps: Caps, using: str) -> None:
    """Refuse when the caller or the host has all the live jobs that it may have.

    Raises :class:`CallerBusyError` or, after it, :class:`JobsBusyError`.
    """
    live = BatchJob.objects.using(using).live()
    own = live.of_caller(caller)
    # Counted, and no further than the cap: it may be in the thousands.
    if own[: caps.jobs_per_caller].count() >= caps.jobs_per_caller:
        newest = own.order_by("-id").values_list("id", flat=True).first()
        if newest:  # else the last of them ended this moment
            raise CallerBusyError(str(newest), caps.jobs_per_caller)
    if live[: caps.jobs_total].count() >= caps.jobs_total:
        raise JobsBusyError(caps.jobs_total)
