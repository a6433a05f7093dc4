"""The runner's rows and its workers' knowledge of them, as plain values without a database.

Times are whole numbers; a claim lasts one of them and a lease two, so that each can run out
before, with and after the other. A target is one word: its status, or the code of the failure
that the runner made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

HOLD = 1  # CLAIM_SECONDS
TTL = 2
TARGETS_PER_JOB = 2

LIVE = ("queued", "running")
STORED = ("done", "failed", "restart", "internal")
GONE = -1  # the name of a job whose rows were removed
NOBODY = "?"  # the name of a worker that died


@dataclass(frozen=True, slots=True)
class Job:
    """A row of a job and those of its targets. ``begun`` is in no row: how many fetches began."""

    name: Any
    caller: str
    urls: tuple[str, ...]
    created: int
    lease: int
    targets: tuple[str, ...]
    status: str = "running"
    done: int = 0
    failed: int = 0
    claim: int = 0
    worker: str = ""
    expires: int | None = None
    started: int | None = None
    finished: int | None = None
    error: str = ""
    begun: int = 0

    @property
    def live(self) -> bool:
        return self.status in LIVE

    @property
    def waits(self) -> bool:
        return self.status == "running" and self.claim == 0

    @property
    def in_hand(self) -> bool:
        return self.expires is not None

    @property
    def whole(self) -> bool:
        return len(self.targets) == len(self.urls)

    def settled(self, now: int) -> bool:
        return not self.live and (self.expires is None or self.expires <= now)

    def expired(self, now: int) -> bool:
        finished = now if self.finished is None else self.finished
        return self.settled(now) and finished < now and self.lease <= now

    def lapsed(self, now: int) -> bool:
        """Nobody works on it any more, as far as the clock can tell."""
        if self.status == "queued":
            return self.created < now - HOLD
        return self.expires is not None and self.expires < now


@dataclass(frozen=True, slots=True)
class Hand:
    """What a worker believes to have in hand, which is stale once the job was taken from it.

    ``sure``: it was told that the job is its own. ``outcome``: fetched, and its write was tried.
    """

    job: Any
    claim: int
    idx: int = 0
    sure: bool = True
    begun: bool = False
    outcome: str = ""


@dataclass(frozen=True)
class World:
    """Everything there is: the clock, the rows in the order of their making, the workers."""

    jobs: tuple[Job, ...] = ()
    hands: tuple[Hand | None, ...] = (None, None)
    clock: int = 0
    jobs_per_caller: int = 1
    jobs_total: int = 2
    lists: tuple[tuple[str, ...], ...] = (("u",), ("u", "v"), ("u", "v", "w"))  # to be submitted

    def job(self, name: Any) -> Job | None:
        return next((job for job in self.jobs if job.name == name), None)

    def plus(self, job: Job) -> World:
        return replace(self, jobs=(*self.jobs, job))

    def minus(self, name: Any) -> World:
        return replace(self, jobs=tuple(job for job in self.jobs if job.name != name))

    def change(self, old: Job, **values: Any) -> World:
        new = replace(old, **values)
        return replace(self, jobs=tuple(new if job.name == old.name else job for job in self.jobs))

    def hold(self, worker: int, hand: Hand | None) -> World:
        hands = (*self.hands[:worker], hand, *self.hands[worker + 1 :])
        return replace(self, hands=hands)


def worker_name(worker: int) -> str:
    return f"w{worker}"


def canonical(world: World) -> World:
    """One world for all that differ in names and in how long ago something was."""
    names = {job.name: number for number, job in enumerate(world.jobs)}
    callers = _numbered("c", (job.caller for job in world.jobs))
    order = sorted(range(len(world.hands)), key=lambda worker: _place(world, names, worker))
    workers = {worker_name(old): worker_name(new) for new, old in enumerate(order)}

    def ago(moment: int | None, least: int) -> int | None:
        return None if moment is None else max(moment - world.clock, least)

    jobs = tuple(
        replace(
            job,
            name=names[job.name],
            caller=callers[job.caller],
            created=max(job.created - world.clock, -HOLD - 1) if job.status == "queued" else 0,
            lease=max(job.lease - world.clock, 0),
            worker=workers.get(job.worker, job.worker),
            expires=ago(job.expires, -1),
            started=None if job.started is None else 0,
            finished=ago(job.finished, -1),
        )
        for job in world.jobs
    )
    hands = tuple(_renamed(world.hands[worker], names) for worker in order)
    return replace(world, jobs=jobs, hands=hands, clock=0)


def _renamed(hand: Hand | None, names: dict[Any, int]) -> Hand | None:
    if hand is None or hand.job in names:
        return hand and replace(hand, job=names[hand.job])
    return Hand(GONE, hand.claim, begun=True)  # how far it came makes no difference


def _numbered(letter: str, names: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name, f"{letter}{len(found)}")
    return found


def _place(world: World, names: dict[Any, int], worker: int) -> tuple[Any, ...]:
    hand = world.hands[worker]
    if hand is None:
        return (1,)
    return 0, names.get(hand.job, GONE), hand.idx, hand.sure, hand.begun, hand.outcome


Moved = tuple[World, Any]
Move = Callable[..., Moved]
