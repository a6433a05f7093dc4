"""What has to be true after any fault, asked of the rows and of what was fetched."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from batch import database
from batch.models import BatchJob, BatchTarget, BatchWorker
from tests.faults.workers import TERMINAL, Records

OUTCOMES = {"done", "failed"}


class Stored:
    """Outcomes that were seen in the database, and have to be there in the end as they were."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int], tuple[str, object, str]] = {}

    def look(self) -> None:
        """Remember what is stored now."""
        for key, outcome in self._now():
            self._seen.setdefault(key, outcome)

    def lost(self) -> list[str]:
        now = dict(self._now())
        return [
            f"{key} was stored as {outcome}, and is {now.get(key)}"
            for key, outcome in self._seen.items()
            if now.get(key) != outcome
        ]

    @staticmethod
    def _now() -> Iterator[tuple[tuple[str, int], tuple[str, object, str]]]:
        rows = BatchTarget.objects.filter(status__in=OUTCOMES)
        for job, idx, *outcome in rows.values_list("job_id", "idx", "status", "result", "code"):
            yield (str(job), idx), (outcome[0], outcome[1], outcome[2])


def assert_sound(records: Records, stored: Stored | None = None) -> None:
    """Every job is terminal or in the hand of a worker that lives, counters equal rows, no
    target was fetched twice, and nothing that was fetched or stored is lost."""
    faults = [f"{job} {idx} was fetched twice" for job, idx in records.twice()]
    targets = defaultdict(list)
    for target in BatchTarget.objects.order_by("job_id", "idx"):
        targets[target.job_id].append(target)
    now = database.now(database.alias())
    alive = set(BatchWorker.objects.values_list("name", flat=True))
    fetched = {(job, idx) for job, idx, _ in records.lines()}
    for job in BatchJob.objects.all():
        rows = targets[job.id]
        told = [*_hand(job, now, alive), *_counters(job, rows)]
        if not job.claim_expires_at:
            told += _lost(rows, fetched)
        faults += [f"job {job.id} ({job.status}, {job.error!r}): {one}" for one in told]
    faults += stored.lost() if stored else []
    assert not faults, "\n".join(faults)


def _hand(job: BatchJob, now: object, alive: set[str]) -> Iterator[str]:
    in_hand = job.claim_expires_at is not None
    if in_hand != bool(job.worker):
        yield f"its worker is {job.worker!r}, and its claim ends {job.claim_expires_at}"
    if in_hand and (job.claim_expires_at < now or job.worker not in alive):
        yield f"its worker {job.worker} is dead"
    if not in_hand and job.status not in TERMINAL:
        yield "nobody drains it"
    if (job.finished_at is not None) != (job.status in TERMINAL):
        yield f"it finished at {job.finished_at}"


def _counters(job: BatchJob, rows: list[BatchTarget]) -> Iterator[str]:
    count = Counter(row.status for row in rows)
    stored = count["done"] + count["failed"]
    if (job.targets_total, job.targets_done, job.targets_failed) != (
        len(rows),
        stored,
        count["failed"],
    ):
        counted = f"{job.targets_done}, {job.targets_failed} of {job.targets_total}"
        yield f"it counts {counted}, and its rows are {dict(count)}"
    if job.status in {"done", "partial"} and stored < len(rows):
        yield f"it ended, and its rows are {dict(count)}"


def _lost(rows: list[BatchTarget], fetched: set[tuple[str, int]]) -> Iterator[str]:
    for row in rows:
        if row.status not in OUTCOMES and (str(row.job_id), row.idx) in fetched:
            yield f"target {row.idx} was fetched and is {row.status}"
        if row.status == "running":
            yield f"target {row.idx} is running in no hand"
        if row.status == "done" and (str(row.job_id), row.idx) not in fetched:
            yield f"target {row.idx} is done and was never fetched"
        if row.status == "done" and not str(row.result["content"]).startswith(str(row.idx)):
            yield f"target {row.idx} has the result of another: {str(row.result)[:80]}"
