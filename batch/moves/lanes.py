"""A target goes through its lane: so many at a time, with a pause after each, first come first
served.

Whoever wants through writes the lane's row first, so they come one by one and get their numbers
in the order in which they came. A job has one turn at a time: it waits with it, keeps it while
its target runs, and gives it up together with the outcome.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q

from batch import database
from batch.conf import LaneRules
from batch.models import BatchJob, BatchLane, BatchTarget, BatchTurn, JobStatus, TargetState
from batch.moves.claim import Claim

# A job that does not ask for so long is passed by: its worker died, or has no slot for it.
ASKED_FOR = timedelta(seconds=5)
KEPT_FOR = timedelta(days=1)  # a lane that nobody went through, as is every host of a crawl


class Answer(NamedTuple):
    """What a drain is told that asks to begin its next target."""

    in_hand: bool = True  # else the job was cancelled, and is let go of
    lost: bool = False  # or somebody else has taken it
    runs: bool = False  # the target is marked running
    seconds: float = 0.0  # else how long the lane stays closed; 0 when it is only full


def enter(claim: Claim, idx: int, lane: str, rules: LaneRules, using: str) -> Answer:
    """Mark this target running if its lane lets it through now. One without a lane always may.

    A job that was cancelled is let go of: no target of it is in flight.
    """
    return database.in_transaction(partial(_enter, claim, idx, lane, rules, using), using)


def _enter(claim: Claim, idx: int, lane: str, rules: LaneRules, using: str) -> Answer:
    mine = BatchJob.objects.using(using).filter(id=claim.job_id, claim=claim.number)
    # A write that changes nothing takes the row, on every database: until the end of this
    # transaction neither a cancel nor a reaper comes in between.
    if not mine.filter(status=JobStatus.RUNNING).update(claim=claim.number):
        if mine.filter(status=JobStatus.CANCELLED).update(worker="", claim_expires_at=None):
            give_up(claim.job_id, using)
            return Answer(in_hand=False)
        return Answer(in_hand=False, lost=True)
    if lane:
        row = _taken(lane, using)
        now = database.now(using)
        if answer := _has_to_wait(claim, row, rules, now, using):
            return answer
        BatchLane.objects.using(using).filter(name=lane).update(opens_at=now + rules.pause)
    else:
        now = database.now(using)
    target = BatchTarget.objects.using(using).filter(job_id=claim.job_id, idx=idx)
    # Running already: an earlier try did it, and only its answer was lost with the connection.
    target.filter(status__in=(TargetState.PENDING, TargetState.RUNNING)).update(
        status=TargetState.RUNNING, started_at=now
    )
    return Answer(runs=True)


def _taken(lane: str, using: str) -> BatchLane:
    """The lane's row, which this transaction has to itself, with a number nobody else has."""
    lanes = BatchLane.objects.using(using)
    row = lanes.filter(name=lane)
    if not row.update(tickets=F("tickets") + 1):
        # Several may miss it at once: one insert wins.
        new = BatchLane(name=lane, opens_at=database.now(using))
        lanes.bulk_create([new], ignore_conflicts=True)
        row.update(tickets=F("tickets") + 1)
    return row.get()


def _has_to_wait(
    claim: Claim, lane: BatchLane, rules: LaneRules, now: datetime, using: str
) -> Answer | None:
    """The answer to who has to wait; who may go holds the turn from now on."""
    turns = BatchTurn.objects.using(using)
    mine = turns.filter(job_id=claim.job_id)
    turn = mine.first()
    if turn is None:
        turn = turns.create(
            job_id=claim.job_id, lane=lane.name, ticket=lane.tickets, asked_until=now
        )
    elif turn.asked_until is None:
        return None  # an earlier try got through, see above
    # Also who came later counts, once it runs: it did not wait for who was silent for a while.
    ahead = (
        turns.filter(lane=lane.name)
        .exclude(job_id=claim.job_id)
        .filter(Q(asked_until=None) | Q(ticket__lt=turn.ticket, asked_until__gt=now))
    )
    if lane.opens_at <= now and (rules.per_lane is None or ahead.count() < rules.per_lane):
        mine.update(asked_until=None)
        return None
    mine.update(asked_until=now + ASKED_FOR)
    return Answer(seconds=max(0.0, (lane.opens_at - now).total_seconds()))


def leave(job_id: uuid.UUID, lane: str, delay: timedelta, using: str) -> None:
    """Give up the turn of a target that ended; the lane lets nobody through for ``delay``.
    Part of the transaction that stores the outcome."""
    if lane:
        give_up(job_id, using)
        opens_at = database.now(using) + delay
        lanes = BatchLane.objects.using(using).filter(name=lane, opens_at__lt=opens_at)
        lanes.update(opens_at=opens_at)


def give_up(job_id: uuid.UUID, using: str) -> None:
    """The job wants through no lane any more. Part of the transaction that ends its claim."""
    BatchTurn.objects.using(using).filter(job_id=job_id).delete()


def sweep(using: str) -> None:
    """Remove the lanes that nobody went through for long, and turns that no job has in hand."""

    def work() -> None:
        now = database.now(using)
        in_hand = BatchJob.objects.using(using).claimed().filter(id=OuterRef("job_id"))
        BatchTurn.objects.using(using).exclude(Exists(in_hand)).delete()
        at_it = BatchTurn.objects.using(using).filter(lane=OuterRef("name"))
        old = BatchLane.objects.using(using).filter(opens_at__lt=now - KEPT_FOR)
        old.exclude(Exists(at_it)).delete()

    database.in_transaction(work, using)
