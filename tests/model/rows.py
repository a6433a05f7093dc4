"""The rows of the database in the words of the model."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta

from batch.models import BatchJob, BatchTarget
from batch.types import Target
from tests.connection import stored
from tests.model.world import Job

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)
TICK = timedelta(hours=1)
URL = "https://example.com/"


def moment(ticks: int) -> datetime:
    return stored(EPOCH) + ticks * TICK


def targets(urls: tuple[str, ...]) -> list[Target]:
    return [Target(URL + url) for url in urls]


def stored_jobs(urls: dict[str, tuple[str, ...]]) -> list[Job]:
    """The jobs in the order of their making; ``urls`` are those of each, whose rows may be gone."""
    found: dict[str, list[str]] = defaultdict(list)
    rows = BatchTarget.objects.order_by("job_id", "idx")
    for job_id, idx, url, status, code in rows.values_list(
        "job_id", "idx", "url", "status", "code"
    ):
        assert url == URL + urls[str(job_id)][idx]
        own = code in ("restart", "internal")
        found[str(job_id)].append(code if status == "failed" and own else status)
    return [
        Job(
            name=str(row.id),
            caller=row.caller,
            urls=urls[str(row.id)],
            created=_ticks(row.created_at),
            lease=_ticks(row.lease_expires_at),
            targets=tuple(found[str(row.id)]),
            status=row.status,
            done=row.targets_done,
            failed=row.targets_failed,
            claim=row.claim,
            worker=row.worker,
            expires=_ticks_if_set(row.claim_expires_at),
            started=_ticks_if_set(row.started_at),
            finished=_ticks_if_set(row.finished_at),
            error=row.error,
        )
        for row in BatchJob.objects.order_by("created_at", "id")
    ]


def _ticks(value: datetime) -> int:
    ticks, rest = divmod(value - stored(EPOCH), TICK)
    assert not rest, value
    return ticks


def _ticks_if_set(value: datetime | None) -> int | None:
    return None if value is None else _ticks(value)
