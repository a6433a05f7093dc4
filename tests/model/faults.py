"""Moves with a fault each, of kinds that are easily made: the explorer has to find every one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.model import moves
from tests.model.moves import Moves
from tests.model.world import HOLD, Hand, Job, Moved, World

Urls = tuple[str, ...]


def submit_that_never_gives_a_kept_job(world: World, name: Any, caller: str, urls: Urls) -> Moved:
    return moves.create(world, name, caller, urls)


def submit_that_counts_before_the_gate(world: World, name: Any, caller: str, urls: Urls) -> Moved:
    """Of two at the same moment the second one counts without the first one's job."""
    earlier = replace(world, jobs=world.jobs[:-1])
    if moves.leased(world, caller, urls) or moves.busy(earlier, caller):
        return moves.submit(world, name, caller, urls)
    return moves.insert(world, name, caller, urls)


def claim_of_a_job_whose_claim_ran_out(world: World, name: Any, worker: str) -> Moved:
    job = world.job(name)
    if job and job.status == "running" and job.lapsed(world.clock):
        return world.change(job, worker=worker, expires=world.clock + HOLD), True
    return moves.claim(world, name, worker)


def claim_that_forgets_a_lost_answer(world: World, name: Any, worker: str) -> Moved:
    after, answer = moves.claim(world, name, worker)
    return after, answer and after is not world


def renew_by_the_id_alone(world: World, name: Any, worker: str) -> Moved:
    job = world.job(name)
    return (world.change(job, expires=world.clock + HOLD), True) if job else (world, False)


def record_under_any_claim(world: World, hand: Hand, outcome: str) -> Moved:
    job = world.job(hand.job)
    return moves.record(world, replace(hand, claim=job.claim) if job else hand, outcome)


def record_that_overwrites_a_cancel(world: World, hand: Hand, outcome: str) -> Moved:
    job = world.job(hand.job)
    if job and job.status == "cancelled" and job.in_hand:
        world = world.change(job, status="running", finished=None)
    return moves.record(world, hand, outcome)


def record_that_stops_at_a_failure(world: World, hand: Hand, outcome: str) -> Moved:
    after, answer = moves.record(world, hand, outcome)
    return after, "ended" if outcome == "failed" and answer == "go on" else answer


def record_that_guesses_a_lost_answer_by_the_status(
    world: World, hand: Hand, outcome: str
) -> Moved:
    after, answer = moves.record(world, hand, outcome)
    job = world.job(hand.job)
    cancelled = job is not None and job.status == "cancelled"
    return after, "ended" if cancelled and answer == "go on" else answer


def cancel_that_overwrites_an_end(world: World, name: Any) -> Moved:
    job = world.job(name)
    if job is None or job.live:
        return moves.cancel(world, name)
    return world.change(job, status="cancelled", finished=world.clock), False


def reap_that_leaves_the_claim(world: World, name: Any, sole: bool = False) -> Moved:
    return _with(moves.reap(world, name, sole), world.job(name), "claim")


def reap_that_asks_no_clock(world: World, name: Any, sole: bool = False) -> Moved:
    return moves.reap(world, name, sole=True)


def reap_that_leaves_the_lease(world: World, name: Any, sole: bool = False) -> Moved:
    return _with(moves.reap(world, name, sole), world.job(name), "lease")


def retry_of_a_job_in_hand(world: World, name: Any, old: Any) -> Moved:
    job = world.job(old)
    if job is None or job.live or not job.in_hand:
        return moves.retry(world, name, old)
    return moves.create(world, name, job.caller, job.urls)


def delete_that_leaves_the_lease(world: World, name: Any) -> Moved:
    return _with(moves.delete(world, name), world.job(name), "lease")


def delete_that_leaves_the_worker(world: World, name: Any) -> Moved:
    return _with(moves.delete(world, name), world.job(name), "worker", "expires")


def purge_by_the_lease_alone(world: World, name: Any) -> Moved:
    job = world.job(name)
    return moves.remove(world, job) if job and job.lease <= world.clock else (world, False)


def _with(moved: Moved, old: Job | None, *names: str) -> Moved:
    """With these columns as they were."""
    after, answer = moved
    new = old and after.job(old.name)
    if old and new and after.jobs:
        after = after.change(new, **{name: getattr(old, name) for name in names})
    return after, answer


# Each with the number of the rule that it breaks first.
FAULTS: list[tuple[Callable[..., Moved], int]] = [
    (submit_that_never_gives_a_kept_job, 1),
    (submit_that_counts_before_the_gate, 2),
    (claim_of_a_job_whose_claim_ran_out, 8),
    (claim_that_forgets_a_lost_answer, 8),
    (renew_by_the_id_alone, 3),
    (record_under_any_claim, 8),
    (record_that_overwrites_a_cancel, 6),
    (record_that_stops_at_a_failure, 9),
    (record_that_guesses_a_lost_answer_by_the_status, 9),
    (cancel_that_overwrites_an_end, 7),
    (reap_that_leaves_the_claim, 10),
    (reap_that_asks_no_clock, 8),
    (reap_that_leaves_the_lease, 5),
    (retry_of_a_job_in_hand, 6),
    (delete_that_leaves_the_lease, 1),
    (delete_that_leaves_the_worker, 8),
    (purge_by_the_lease_alone, 6),
]


def with_fault(fault: Callable[..., Moved]) -> Moves:
    return replace(Moves(), **{fault.__name__.split("_")[0]: fault})
