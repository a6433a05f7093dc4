"""The rules of the runner, each as a question to one step: does it hold there?

Where a rule speaks of what is outside the rows (how a key is computed, what a fetch function may
do to its process), this is the part of it that rows can show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.model import moves
from tests.model.actors import Step
from tests.model.world import NOBODY, STORED, TTL, Job, World, worker_name

Rule = Callable[[World, Step], bool]
SIGNS = {
    "pending": "p",
    "running": "r",
    "done": "d",
    "failed": "f",
    "restart": "f",
    "internal": "f",
}


def rule_1_idempotency_first(before: World, step: Step) -> bool:
    """A kept job is given as it is, with all that belongs to it; else there is a new one."""
    if step.move != "submit":
        return True
    if kept := moves.leased(before, *step.detail):
        return step.answer == (kept[-1].name, True) and step.after == before and kept[-1].whole
    return step.answer not in {(job.name, True) for job in before.jobs}


def rule_2_caps_second(before: World, step: Step) -> bool:
    """They hold, and nobody is refused while there is room."""
    live = [job.caller for job in step.after.jobs if job.live]
    most = max(map(live.count, live), default=0)
    if most > before.jobs_per_caller or len(live) > before.jobs_total:
        return False
    if step.answer == "busy":
        return most == before.jobs_per_caller
    return step.answer != "jobs busy" or len(live) == before.jobs_total


def rule_3_running_at_once(before: World, step: Step) -> bool:
    """A new job is running and waits; a job that ended by its last outcome is let go of."""
    for job in step.after.jobs:
        if before.job(job.name) is None and not (job.waits and job.lease == before.clock + TTL):
            return False
        if job.waits and (job.started is not None or {*job.targets} != {"pending"}):
            return False
        if job.in_hand and not (job.worker and job.status in ("running", "cancelled")):
            return False
        if job.worker and not job.in_hand:
            return False
    return True


def rule_4_serial_drain(before: World, step: Step) -> bool:
    """Stored ones, then the one in flight while a worker has the job, then those not begun; and
    a fetch is begun once for each, in their order."""
    for job in step.after.jobs:
        signs = "".join(SIGNS[target] for target in job.targets)
        if job.whole and not re.fullmatch("[df]*rp*" if job.in_hand else "[df]*p*", signs):
            return False
    begun = before.job(step.job)
    return step.move != "begin" or begun is None or begun.begun == step.detail


def rule_5_lease_on_completion(before: World, step: Step) -> bool:
    for old, new in _pairs(before, step):
        moved = new.done > old.done or (old.live and not new.live)
        if new.whole and new.lease != (before.clock + TTL if moved else old.lease):
            return False
    return True


def rule_6_cancel(before: World, step: Step) -> bool:
    """At once and for good; the target in flight may be stored, and no other one is begun."""
    for old, new in _pairs(before, step):
        if old.status == "cancelled" and new.whole:
            begun = old.targets.count("pending") - new.targets.count("pending")
            if begun or new.error or new.status != "cancelled":
                return False
    job, after = before.job(step.job), step.after.job(step.job)
    if step.move == "cancel" and job and after:
        kept = (after.claim, after.expires, after.targets) == (job.claim, job.expires, job.targets)
        return kept and step.answer == job.live and (not job.live or after.status == "cancelled")
    if step.move in ("retry", "delete", "purge") and step.after != before and job:
        return job.settled(before.clock)  # so not while it is in hand
    return True


def rule_7_terminal_exactly_once(before: World, step: Step) -> bool:
    for old, new in _pairs(before, step):
        if not old.live and (new.status, new.finished) != (old.status, old.finished):
            return False
        if old.live and not new.live and new.finished != before.clock:
            return False
    return all(_status_agrees(job) for job in step.after.jobs if job.whole)


def rule_8_restart(before: World, step: Step) -> bool:
    """One claim in a life, which others take only when it ran out; then its worker writes no
    more. A worker that lives knows of each job under its name."""
    for old, new in _pairs(before, step):
        taken = new.in_hand and (not old.in_hand or new.worker not in (old.worker, NOBODY))
        if new.claim < old.claim or (taken and not old.waits):
            return False
        if new == old:
            continue
        if step.move == "reap" and not old.lapsed(before.clock):
            return False
        if step.worker is not None and step.move not in ("begin", "claim", "die"):
            hand = before.hands[step.worker]
            if hand is None or hand.claim != old.claim:
                return False
    return all(_known_to_its_worker(step.after, job) for job in step.after.jobs)


def rule_9_no_crash_on_input(before: World, step: Step) -> bool:
    """A failure does not stop a job, and the runner itself is never at fault."""
    job = step.after.job(step.job)
    left = job is not None and job.status == "running" and "pending" in job.targets
    if step.move == "record" and step.answer == "ended" and left:
        return False
    return not any("internal" in (job.error, *job.targets) for job in step.after.jobs)


def rule_10_nothing_stored_is_lost(before: World, step: Step) -> bool:
    """What was fetched is stored unless the job is in other hands, and stays until the job is
    removed; the counters agree."""
    for old in before.jobs:
        new = step.after.job(old.name)
        if (new is None or (old.whole and not new.whole)) and step.move not in ("delete", "purge"):
            return False
        pairs = zip(old.targets, new.targets, strict=False) if new else ()
        if any(a in STORED and a != b for a, b in pairs):
            return False
    for job in step.after.jobs:
        stored = [target for target in job.targets if target in STORED]
        failed = len(stored) - stored.count("done")
        if job.whole and (job.done, job.failed) != (len(stored), failed):
            return False
    if step.move != "record" or step.worker is None:
        return True
    hand = before.hands[step.worker]
    own = moves.own(step.after, hand) if hand else None
    return hand is None or own is None or own.targets[hand.idx] == step.detail


RULES: tuple[Rule, ...] = (
    rule_1_idempotency_first,
    rule_2_caps_second,
    rule_3_running_at_once,
    rule_4_serial_drain,
    rule_5_lease_on_completion,
    rule_6_cancel,
    rule_7_terminal_exactly_once,
    rule_8_restart,
    rule_9_no_crash_on_input,
    rule_10_nothing_stored_is_lost,
)


def _pairs(before: World, step: Step) -> Iterator[tuple[Job, Job]]:
    """Each job before and after, as far as it is still there."""
    for old in before.jobs:
        if new := step.after.job(old.name):
            yield old, new


def _status_agrees(job: Job) -> bool:
    kinds = {"failed" if target == "restart" else target for target in job.targets}
    ended = {"done": {"done"}, "failed": {"failed"}, "partial": {"done", "failed"}}
    if job.live != (job.finished is None) or (job.error and job.status != "failed"):
        return False
    if job.live:
        return bool(kinds & {"pending", "running"})
    return job.status == "cancelled" or bool(job.error) or kinds == ended[job.status]


def _known_to_its_worker(world: World, job: Job) -> bool:
    for worker, hand in enumerate(world.hands):
        if job.worker == worker_name(worker):
            return hand is not None and hand.job == job.name
    return True
