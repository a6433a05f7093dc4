"""Jobs' results, one row a target, in the one shape that every export has."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Func, IntegerField, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from batch import database
from batch.errors import UnknownJobError
from batch.ids import parse_id
from batch.models import BatchJob, BatchTarget

Row = dict[str, Any]

COLUMNS = (
    *("job", "idx", "url", "status", "content", "error", "hint", "code"),
    *("options", "meta", "details", "started_at", "finished_at"),
)
PORTION_ROWS = 50
PORTION_MAX_BYTES = 2 * 1024**2  # of results; a single larger one is a portion of its own
_STORED = ("idx", "url", "status", "error", "hint", "code", "options", "details")


def result_rows(*job_ids: str, content: bool = True) -> Iterator[Row]:
    """A dict with the keys COLUMNS for each target of these jobs, in order, ready for JSON.

    The rows are read in small portions, as the reader goes on: no transaction or cursor is
    held in between, and each row is as it was when it was read. Without ``content``, results
    stay in the database, and ``content`` and ``meta`` are None.

    Raises ``UnknownJobError`` for a job that is not there, or that is removed before its last
    row was read: what came before it must not be taken for all.
    """
    using = database.alias()
    for job_id in job_ids:
        known = parse_id(job_id)
        if known is None:
            raise UnknownJobError(job_id)
        yield from _rows(known, using, content)


def _rows(job_id: UUID, using: str, content: bool) -> Iterator[Row]:
    jobs = BatchJob.objects.using(using).filter(id=job_id)
    total = database.repeat(jobs.values_list("targets_total", flat=True).first, using)
    if total is None:
        raise UnknownJobError(str(job_id))
    targets = BatchTarget.objects.using(using).filter(job=job_id)
    count = 0
    first: int | None = 0
    while first is not None:
        portion = database.repeat(partial(_portion, targets, first, content), using)
        for stored in portion:
            yield _row(job_id, stored)
        count += len(portion)
        if portion:
            first = portion[-1]["idx"] + 1
        else:
            # Behind the last one, or in a gap that somebody left by hand.
            further = targets.filter(idx__gte=first).order_by("idx").values_list("idx", flat=True)
            first = database.repeat(further.first, using)
    if count < total:
        raise UnknownJobError(str(job_id))


def _portion(targets: QuerySet[BatchTarget], first: int, content: bool) -> list[Row]:
    """Targets from ``first`` on; the database is asked for their sizes before they are loaded.

    They are named by their numbers. Of a job that is larger than its statistics say, PostgreSQL
    would take the sizes of all targets before it sorts them for a LIMIT.
    """
    next_ones = targets.filter(idx__gte=first, idx__lt=first + PORTION_ROWS)
    size = Coalesce(StoredBytes("result"), 0) if content else Value(0)
    sizes = next_ones.order_by("idx").annotate(size=size).values_list("idx", "size")
    last, total = -1, 0
    for idx, bytes_ in sizes:
        total += bytes_
        if last >= 0 and total > PORTION_MAX_BYTES:
            break
        last = idx
    names = [*_STORED, "started_at", "finished_at", *(["result"] if content else [])]
    # Put in order here: no database should have to sort what carries results.
    rows = list(next_ones.filter(idx__lte=last).order_by().values(*names))
    return sorted(rows, key=lambda row: row["idx"])


def _row(job_id: UUID, stored: Row) -> Row:
    result = stored.get("result") or {}
    return {
        "job": str(job_id),
        "idx": stored["idx"],
        "url": stored["url"],
        "status": stored["status"],
        "content": result.get("content"),
        "error": stored["error"],
        "hint": stored["hint"],
        "code": stored["code"],
        "options": stored["options"],
        "meta": result.get("meta"),
        "details": stored["details"],
        "started_at": _moment(stored["started_at"]),
        "finished_at": _moment(stored["finished_at"]),
    }


def _moment(value: datetime | None) -> str | None:
    """ISO 8601 in UTC, as the API writes it, whatever the host's time zone settings."""
    if value is None:
        return None
    if timezone.is_naive(value):
        value = timezone.make_aware(value, timezone.get_default_timezone())
    return value.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


class StoredBytes(Func):
    """How many bytes of JSON a column holds."""

    template = "OCTET_LENGTH(%(expressions)s)"
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "OCTET_LENGTH((%(expressions)s)::text)"
        return self.as_sql(compiler, connection, template=template, **extra)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        # OCTET_LENGTH is there from SQLite 3.43 on.
        template = "LENGTH(CAST(%(expressions)s AS BLOB))"
        return self.as_sql(compiler, connection, template=template, **extra)
