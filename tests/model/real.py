"""The real moves, with answers in the words of the model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from uuid import UUID

from batch import errors
from batch.moves.claim import Claim, claim_job, claim_next, renew
from batch.moves.end import cut_off
from batch.moves.record import Next, Record, record, stored_before
from batch.outcome import Outcome
from batch.runner import Runner
from batch.types import Submission
from tests.databases import ALIAS
from tests.model.rows import TICK, moment
from tests.model.world import HOLD, TTL, Hand
from tests.rules.accidents import Died, answer_lost, death_after_one_transaction

WORDS: dict[type[errors.BatchError], str] = {
    errors.UnknownJobError: "unknown",
    errors.JobLiveError: "live",
    errors.NothingToRetryError: "nothing to retry",
    errors.TooManyTargetsError: "too many targets",
    errors.CallerBusyError: "busy",
    errors.JobsBusyError: "jobs busy",
}


def made(move: Callable[[], Submission], lost: bool) -> Any:
    """Of a submit or retry: (id, reused), or the word for its refusal."""
    try:
        with answer_lost() if lost else nullcontext():
            submission = move()
    except errors.BatchError as error:
        return WORDS[type(error)]
    return submission.id, submission.reused


def delete(runner: Runner, job: str, dies: bool) -> Any:
    """``None``: it died before it could answer."""
    try:
        with death_after_one_transaction() if dies else nullcontext():
            runner.delete(job)
    except Died:
        return None
    except errors.BatchError as error:
        return WORDS[type(error)]
    return True


def claim(job: str, worker: str, lost: bool) -> bool:
    with answer_lost() if lost else nullcontext():
        return claim_job(UUID(job), worker, HOLD * TICK, ALIAS) is not None


def claim_the_next(worker: str) -> str:
    taken = claim_next(worker, HOLD * TICK, ALIAS)
    return str(taken.job_id) if taken else ""


def renewed(job: str, worker: str, clock: int) -> bool:
    return renew([UUID(job)], worker, moment(clock), HOLD * TICK, ALIAS) == 1


def recorded(hand: Hand, clock: int) -> str:
    """As a drain does: where nothing was written, it looks whether an earlier try was."""
    outcome = Outcome(result="{}") if hand.outcome == "done" else Outcome(code="told_to_fail")
    entry = Record(
        job_id=UUID(hand.job),
        claim=hand.claim,
        idx=hand.idx,
        outcome=outcome,
        now=moment(clock),
        ttl=TTL * TICK,
    )
    answer = record(entry, ALIAS)
    return (stored_before(entry, ALIAS) if answer is Next.LOST else answer).value


def given_up(hand: Hand, code: str, clock: int) -> bool:
    claim = Claim(UUID(hand.job), "", "", 0, hand.claim, moment(clock))
    return cut_off(claim, code, code, TTL * TICK, ALIAS)
