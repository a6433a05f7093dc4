"""Each move, tried on jobs in each situation, does what docs/states.md says, and nothing else."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from batch.conf import LaneRules
from batch.errors import JobLiveError
from batch.models import BatchJob, BatchTarget
from batch.moves import lanes
from batch.moves.claim import Claim, claim_job, renew
from batch.moves.end import cancel, cut_off, reap
from batch.moves.remove import delete, purge
from tests.databases import ALIAS
from tests.docs.states import table
from tests.rules import jobs

DAY = timedelta(days=1)
WORKER = "host:1:aa"
# A submit stores rows, which no one can see before they run.
UNSEEN = {"A", "B", "a"}
Seen = set[tuple[str, str, str]]


def queued() -> str:
    job_id = jobs.submit(2)
    jobs.change(job_id, status="queued", created_at=timezone.now() - DAY)
    return job_id


def in_hand(*stored: str | None) -> str:
    """A job of two targets that a worker has, with the outcomes stored so far."""
    job_id = jobs.submit(2)
    taken = jobs.claim(job_id, worker=WORKER)
    for idx, content in enumerate(stored):
        jobs.store(taken, idx, content)
    return job_id


def cancelled_in_hand() -> str:
    job_id = in_hand()
    assert cancel(jobs.row(job_id).id, DAY, ALIAS)
    return job_id


def at_its_lane() -> str:
    job_id = jobs.submit(2)
    assert claim_job(jobs.row(job_id).id, WORKER, DAY, ALIAS, lanes=True)
    return job_id


SITUATIONS: list[Callable[[], str]] = [
    queued,
    partial(jobs.submit, 2),
    in_hand,
    partial(in_hand, "content"),
    partial(in_hand, None),
    at_its_lane,
    cancelled_in_hand,
    *(partial(jobs.terminal, status) for status in ("done", "partial", "failed", "cancelled")),
]


def held(job: BatchJob) -> Claim:
    """As the job's worker has it, or would if it had one."""
    return Claim(job.id, job.caller, "", job.targets_total, job.claim, timezone.now())


def store(content: str | None, job: BatchJob) -> None:
    jobs.store(held(job), job.targets_done, content)


def enter(job: BatchJob) -> None:
    rules = LaneRules(per_lane=1, pause=DAY)
    lanes.enter(held(job), job.targets_done, "a", rules, ALIAS)


def remove(job: BatchJob) -> None:
    with suppress(JobLiveError):
        delete(job.id, ALIAS)


def expire(job: BatchJob) -> None:
    jobs.lapse(str(job.id))
    purge(ALIAS)


MOVES: list[tuple[str, Callable[[BatchJob], Any]]] = [
    ("claim.claim_job", lambda job: claim_job(job.id, WORKER, DAY, ALIAS)),
    ("claim.renew", lambda job: renew([job.id], WORKER, timezone.now(), DAY, ALIAS)),
    ("lanes.enter", enter),
    ("record.record", partial(store, "content")),
    ("record.record", partial(store, None)),
    ("end.cut_off", lambda job: cut_off(held(job), "gone", "restart", DAY, ALIAS)),
    ("end.reap", lambda job: reap("gone", ALIAS, sole=True)),
    ("end.cancel", lambda job: cancel(job.id, DAY, ALIAS)),
    ("remove.delete", remove),
    ("remove.purge", expire),
]


def state_of_job(job_id: str) -> dict[str, Any]:
    found = BatchJob.objects.filter(id=job_id).values().first() or {"status": "gone"}
    # `expire` writes it, too.
    found.pop("lease_expires_at", None)
    return found


def states_of_targets(job_id: str) -> list[str]:
    kept = BatchTarget.objects.filter(job_id=job_id).order_by("idx")
    return list(kept.values_list("status", flat=True))


def seen() -> tuple[Seen, Seen]:
    """What the moves did to jobs and to targets: (move, from, to)."""
    of_jobs, of_targets = set(), set()
    for make in SITUATIONS:
        for name, move in MOVES:
            with jobs.rolled_back():
                job_id = make()
                before, targets = state_of_job(job_id), states_of_targets(job_id)
                move(jobs.row(job_id))
                after = state_of_job(job_id)
                if after != before:
                    of_jobs.add((name, before["status"], after["status"]))
                pairs = zip(targets, states_of_targets(job_id), strict=False)
                of_targets |= {(name, a, b) for a, b in pairs if a != b}
    return of_jobs, of_targets


@pytest.mark.django_db
def test_the_moves_do_what_the_tables_say_and_nothing_else() -> None:
    for heading, did in zip(("A job", "A target"), seen(), strict=True):
        told = [row for row in table(heading) if row.letter not in UNSEEN]
        assert did <= {(move, *pair) for row in told for move in row.moves for pair in row.pairs}
        for row in told:
            done_by_it = {(a, b) for move, a, b in did if move in row.moves}
            assert row.pairs <= done_by_it, row.letter
