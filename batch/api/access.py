"""Which jobs a request reaches: the caller's own and, for staff, those of everybody.

A job out of reach is answered like one that never was, so nobody learns whether an id exists.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from rest_framework.request import Request

from batch import database
from batch.api.callers import caller_of, is_staff
from batch.errors import UnknownJobError
from batch.ids import parse_id
from batch.models import BatchJob, BatchJobQuerySet

Action = Literal["view", "change", "delete"]


def reaches_all(request: Request, action: Action) -> bool:
    """Whether this is staff with the permission to do this to anybody's job."""
    # A host's user model need not know of permissions either.
    has_perm = getattr(request.user, "has_perm", None)
    return is_staff(request) and bool(has_perm and has_perm(f"batch.{action}_batchjob"))


def jobs(request: Request, now: datetime, using: str, *, everybody: bool) -> BatchJobQuerySet:
    """The jobs that can be seen, of the caller or of everybody."""
    seen = BatchJob.objects.using(using).visible(now)
    return seen if everybody else seen.of_caller(caller_of(request)[0])


def job(request: Request, job_id: str, action: Action) -> BatchJob:
    """The job that the request names. Raises ``UnknownJobError`` for one out of its reach."""
    known = parse_id(job_id)
    if known is None:
        raise UnknownJobError(job_id)
    using = database.alias()

    def find() -> BatchJob | None:
        everybody = reaches_all(request, action)
        seen = jobs(request, database.now(using), using, everybody=everybody)
        return seen.filter(id=known).first()

    found = database.repeat(find, using)
    if found is None:
        raise UnknownJobError(job_id)
    return found
