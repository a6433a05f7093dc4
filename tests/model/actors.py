"""Who does what next: callers, workers, reapers and the clock, in whatever order.

Nobody has to do anything, so a worker that stops for a while and goes on later is among what
happens. It may also die between any two steps; what it had in hand stays under its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.model.moves import Moves
from tests.model.world import NOBODY, Hand, World, worker_name

CALLERS = ("c0", "c1")


@dataclass(frozen=True, slots=True)
class Step:
    move: str
    after: World
    answer: Any = None
    job: Any = None
    worker: int | None = None
    detail: Any = None

    def __str__(self) -> str:
        told = {"job": self.job, "worker": self.worker, "detail": self.detail}
        given = ", ".join(f"{key}={value}" for key, value in told.items() if value is not None)
        return f"{self.move}({given}) -> {self.answer}"


def steps(world: World, moves: Moves) -> Iterator[Step]:
    yield from _callers(world, moves)
    for job in world.jobs:
        for move in ("cancel", "reap", "delete", "purge"):
            after, answer = getattr(moves, move)(world, job.name)
            yield Step(move, after, answer, job.name)
        yield Step("sole", *moves.reap(world, job.name, sole=True), job.name)
    for worker, hand in enumerate(world.hands):
        if hand is None:
            yield from _idle(world, moves, worker)
        else:
            yield from _busy(world, moves, worker, hand)
    yield Step("tick", replace(world, clock=world.clock + 1))


def _callers(world: World, moves: Moves) -> Iterator[Step]:
    name = 1 + max((job.name for job in world.jobs), default=-1)
    for caller in CALLERS:
        for urls in world.lists:
            after, answer = moves.submit(world, name, caller, urls)
            yield Step("submit", after, answer, detail=(caller, urls))
    for job in world.jobs:
        after, answer = moves.retry(world, name, job.name)
        yield Step("retry", after, answer, job=job.name)


def _idle(world: World, moves: Moves, worker: int) -> Iterator[Step]:
    for job in world.jobs:
        after, answer = moves.claim(world, job.name, worker_name(worker))
        if answer:
            hand = Hand(job.name, claim=1)
            yield Step("claim", after.hold(worker, hand), answer, job.name, worker)
            unsure = after.hold(worker, replace(hand, sure=False))
            yield Step("claim", unsure, None, job.name, worker, "its answer is lost")


def _busy(world: World, moves: Moves, worker: int, hand: Hand) -> Iterator[Step]:
    name = worker_name(worker)
    yield Step("die", _dead(world, worker), None, hand.job, worker)
    if not hand.sure:
        after, answer = moves.claim(world, hand.job, name)
        held = replace(hand, sure=True) if answer else None
        yield Step("claim", after.hold(worker, held), answer, hand.job, worker, "again")
        return
    yield Step("renew", *moves.renew(world, hand.job, name), hand.job, worker)
    after, answer = moves.cut_off(world, hand, "restart")
    yield Step("cut_off", after.hold(worker, None), answer, hand.job, worker, "restart")
    if not hand.begun:
        yield Step("begin", _begun(world, worker, hand), None, hand.job, worker, hand.idx)
        return
    for outcome in (hand.outcome,) if hand.outcome else ("done", "failed"):
        after, answer = moves.record(world, hand, outcome)
        tried = after.hold(worker, replace(hand, outcome=outcome))
        yield Step("record", tried, None, hand.job, worker, outcome)
        yield _go_on(after, moves, worker, replace(hand, outcome=outcome), answer)


def _begun(world: World, worker: int, hand: Hand) -> World:
    job = world.job(hand.job)
    if job is not None:
        world = world.change(job, begun=job.begun + 1)
    return world.hold(worker, replace(hand, begun=True))


def _go_on(world: World, moves: Moves, worker: int, hand: Hand, answer: str) -> Step:
    """What `batch.drain` does after that answer of a record."""
    job = world.job(hand.job)
    if answer == "go on":
        world = world.hold(worker, Hand(hand.job, hand.claim, hand.idx + 1))
    else:
        at_the_end = job is not None and hand.idx + 1 == len(job.urls)
        if not (answer == "ended" and at_the_end):
            world, _ = moves.cut_off(world, hand, "internal")
        world = world.hold(worker, None)
    return Step("record", world, answer, hand.job, worker, hand.outcome)


def _dead(world: World, worker: int) -> World:
    """Its name is never used again."""
    for job in world.jobs:
        if job.worker == worker_name(worker):
            world = world.change(job, worker=NOBODY)
    return world.hold(worker, None)
