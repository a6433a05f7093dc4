"""Jobs for tests: made, taken in hand, aged and looked at."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from batch import database
from batch.models import BatchJob, BatchTarget
from batch.moves.claim import Claim, claim_job
from batch.moves.record import Next, Record, record
from batch.outcome import Outcome
from batch.runner import Runner
from batch.types import Config, Options, Result, Target
from tests.connection import connection
from tests.databases import ALIAS

# For tests that are not about the caps.
ROOMY = Config(targets_per_job=100_000, jobs_per_caller=1000, jobs_total=1000)
HOUR = timedelta(hours=1)
_numbers = itertools.count()


def targets(count: int = 1, **options: Any) -> list[Target]:
    """Targets that no other call gives, so that no job is taken for an earlier one."""
    number = next(_numbers)
    return [Target(f"https://example.com/{number}/{i}", Options(**options)) for i in range(count)]


def submit(count: int = 1, caller: str = "ann", caller_class: str = "") -> str:
    """The id of a new job."""
    submission = Runner(config=ROOMY).submit(caller, caller_class, targets(count))
    assert not submission.reused
    return submission.id


def drained(fetch: Any, given: Sequence[Target] | int = 1, caller: str = "ann") -> str:
    """The id of a new job that was drained in this thread by `fetch`."""
    runner = Runner(fetch, ROOMY)
    wanted = targets(given) if isinstance(given, int) else given
    job_id = runner.submit(caller, "", wanted).id
    assert runner.drain(job_id)
    return job_id


def row(job_id: str) -> BatchJob:
    return BatchJob.objects.get(id=job_id)


def rows(job_id: str) -> list[BatchTarget]:
    return list(BatchTarget.objects.filter(job_id=job_id).order_by("idx"))


def states(job_id: str) -> list[str]:
    return [target.status for target in rows(job_id)]


def change(job_id: str, **values: Any) -> None:
    """Writes columns by hand, as time or an accident would."""
    assert BatchJob.objects.filter(id=job_id).update(**values) == 1


def claim(job_id: str, hold: timedelta = HOUR, worker: str = "host:1:aa") -> Claim:
    """Takes the job in hand as a worker does; a negative `hold` is a claim that ran out."""
    job = BatchJob.objects.get(id=job_id)
    taken = claim_job(job.id, worker, hold, ALIAS)
    assert taken is not None
    return taken


def store(taken: Claim, idx: int, content: str | None = "content") -> Next:
    """Stores an outcome as a drain does, again where the database asks for that: content, or a
    failure without it."""
    if content is None:
        outcome = Outcome(error="no", code="told_to_fail")
    else:
        outcome = Outcome(result=f'{{"content":"{content}","meta":{{}}}}')
    entry = Record(
        job_id=taken.job_id,
        claim=taken.number,
        idx=idx,
        outcome=outcome,
        now=database.now(ALIAS),
        ttl=HOUR,
    )
    return database.repeat(partial(record, entry, ALIAS), ALIAS)


def lapse(job_id: str) -> None:
    """Lets the lease of a job lie in the past."""
    change(job_id, lease_expires_at=timezone.now() - HOUR)


def terminal(status: str, caller: str = "ann") -> str:
    """A job of two targets that ended so."""
    if status == "cancelled":
        job_id = submit(2, caller)
        assert Runner().cancel(job_id)
        return job_id
    job_id = submit(2, caller)
    taken = claim(job_id)
    first, second = {
        "done": ("a", "b"),
        "failed": (None, None),
        "partial": ("a", None),
    }[status]
    store(taken, 0, first)
    store(taken, 1, second)
    assert row(job_id).status == status
    return job_id


def content(context: Any, target: Target) -> Result:
    """A fetch function that succeeds."""
    return Result("content", {"url": target.url})


@contextmanager
def rolled_back() -> Iterator[None]:
    """A caller's transaction that is rolled back in the end."""
    with transaction.atomic(using=ALIAS):
        yield
        transaction.set_rollback(True, using=ALIAS)


def away_from_here() -> Any:
    """A second connection to the test's database; close it."""
    other = connection.copy()
    other.settings_dict = {**connection.settings_dict}
    other.inc_thread_sharing()
    return other
