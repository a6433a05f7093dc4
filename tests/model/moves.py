"""The moves of `batch.moves`, each as one atomic function from world to world and answer.

A word for an answer stands for the exception of that meaning, or for a value of `Next`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.model.world import HOLD, STORED, TARGETS_PER_JOB, TTL, Hand, Job, Move, Moved, World


def submit(world: World, name: Any, caller: str, urls: tuple[str, ...]) -> Moved:
    """The answer of one that is not refused: (name, reused)."""
    if kept := leased(world, caller, urls):
        return world, (kept[-1].name, True)
    return create(world, name, caller, urls)


def leased(world: World, caller: str, urls: tuple[str, ...]) -> list[Job]:
    alike = [job for job in world.jobs if (job.caller, job.urls) == (caller, urls)]
    return [job for job in alike if job.lease > world.clock]


def create(world: World, name: Any, caller: str, urls: tuple[str, ...]) -> Moved:
    if len(urls) > TARGETS_PER_JOB:
        return world, "too many targets"
    if refusal := busy(world, caller):
        return world, refusal
    return insert(world, name, caller, urls)


def busy(world: World, caller: str) -> str:
    live = [job.caller for job in world.jobs if job.live]
    if live.count(caller) >= world.jobs_per_caller:
        return "busy"
    return "jobs busy" if len(live) >= world.jobs_total else ""


def insert(world: World, name: Any, caller: str, urls: tuple[str, ...]) -> Moved:
    now = world.clock
    job = Job(name, caller, urls, now, now + TTL, targets=("pending",) * len(urls))
    return world.plus(job), (name, False)


def retry(world: World, name: Any, old: Any) -> Moved:
    job = world.job(old)
    if job is None:
        return world, "unknown"
    if not job.settled(world.clock):
        return world, "live"
    if not job.whole:
        return world, "unknown"  # its removal has begun
    pairs = zip(job.urls, job.targets, strict=True)
    if left := tuple(url for url, target in pairs if target != "done"):
        return create(world, name, job.caller, left)
    return world, "nothing to retry"


def claim(world: World, name: Any, worker: str) -> Moved:
    """True where the job is this worker's, also by an earlier try whose answer was lost."""
    job = world.job(name)
    if job is None:
        return world, False
    if not job.waits:
        return world, (job.worker, job.claim) == (worker, 1)
    now = world.clock
    targets = ("running", *job.targets[1:])
    return world.change(
        job, claim=1, worker=worker, started=now, expires=now + HOLD, targets=targets
    ), True


def renew(world: World, name: Any, worker: str) -> Moved:
    job = world.job(name)
    if job is None or not job.in_hand or job.worker != worker:
        return world, False
    return world.change(job, expires=world.clock + HOLD), True


def record(world: World, hand: Hand, outcome: str) -> Moved:
    job = own(world, hand)
    if job is None or job.targets[hand.idx] != "running":
        return world, stored_before(world, hand)
    return write(world, job, hand.idx, outcome)


def own(world: World, hand: Hand) -> Job | None:
    """The hand's job, as long as nobody took it."""
    job = world.job(hand.job)
    return job if job and job.claim == hand.claim else None


def write(world: World, job: Job, idx: int, outcome: str) -> Moved:
    now = world.clock
    targets = list(job.targets)
    targets[idx] = outcome
    done, failed = job.done + 1, job.failed + (outcome == "failed")
    stored: dict[str, Any] = {"done": done, "failed": failed, "lease": now + TTL}
    if job.status == "running" and done < len(job.urls):
        targets[idx + 1] = "running"
        return world.change(job, targets=tuple(targets), **stored), "go on"
    stored |= {"targets": tuple(targets), "worker": "", "expires": None}
    if job.status == "running":
        status = "done" if not failed else "failed" if failed == done else "partial"
        stored |= {"status": status, "finished": now}
    return world.change(job, **stored), "ended"


def stored_before(world: World, hand: Hand) -> str:
    """What an earlier try of this write did, whose answer was lost."""
    job = own(world, hand)
    if job is None or job.targets[hand.idx] not in STORED:
        return "lost"
    return "go on" if job.in_hand else "ended"


def cancel(world: World, name: Any) -> Moved:
    job = world.job(name)
    if job is None or not job.live:
        return world, False
    now = world.clock
    return world.change(job, status="cancelled", finished=now, lease=now + TTL), True


def reap(world: World, name: Any, sole: bool = False) -> Moved:
    job = world.job(name)
    if job is None or not (job.lapsed(world.clock) or (sole and job.in_hand)):
        return world, False
    return fail(world, job, "restart")


def reap_all(world: World, sole: bool = False) -> Moved:
    """One after the other, each in a transaction of its own; how many."""
    count = 0
    for job in world.jobs:
        world, taken = reap(world, job.name, sole)
        count += taken
    return world, count


def making_room(world: World, move: Callable[[World], Moved]) -> Moved:
    """A submit or retry that is refused as busy reaps, and tries once more."""
    refused, answer = move(world)
    if answer not in ("busy", "jobs busy"):
        return refused, answer
    after, count = reap_all(world)
    return move(after) if count else (refused, answer)


def cut_off(world: World, hand: Hand, code: str) -> Moved:
    job = own(world, hand)
    if job is None or not job.in_hand:
        return world, False
    return fail(world, job, code)


def fail(world: World, job: Job, code: str) -> Moved:
    now = world.clock
    flying = job.targets.count("running")
    values: dict[str, Any] = {
        "claim": job.claim + 1,
        "worker": "",
        "expires": None,
        "lease": now + TTL,
        "targets": tuple(code if target == "running" else target for target in job.targets),
        "done": job.done + flying,
        "failed": job.failed + flying,
    }
    if job.live:
        values |= {"status": "failed", "finished": now, "error": code}
    return world.change(job, **values), True


def remove_some(world: World, job: Job) -> Moved:
    """The targets of a large job go from its end, in transactions of their own."""
    return world.change(
        job,
        claim=job.claim + 1,
        worker="",
        expires=None,
        lease=world.clock,
        targets=job.targets[:1],
    ), True


def delete(world: World, name: Any) -> Moved:
    job = world.job(name)
    if job is None:
        return world, "unknown"
    return remove(world, job) if job.settled(world.clock) else (world, "live")


def purge(world: World, name: Any) -> Moved:
    job = world.job(name)
    if job is None or not job.expired(world.clock):
        return world, False
    return remove(world, job)


def remove(world: World, job: Job) -> Moved:
    """One transaction of it."""
    if len(job.targets) > 1:
        return remove_some(world, job)
    return world.minus(job.name), True


@dataclass(frozen=True)
class Moves:
    """All of them, so that one can be given a fault."""

    submit: Move = submit
    retry: Move = retry
    claim: Move = claim
    renew: Move = renew
    record: Move = record
    cancel: Move = cancel
    reap: Move = reap
    cut_off: Move = cut_off
    delete: Move = delete
    purge: Move = purge
