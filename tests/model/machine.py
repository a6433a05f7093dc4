"""The real moves and the model's, side by side: the same answers and the same rows at each step.

Everything happens in one thread, so a step is one move; that a move is as atomic as the model has
it is for tests of races to show. The clock stands until it is moved. A hand is what a worker of
its own believes to have, so one whose job was taken is that of a worker that was frozen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from batch import database
from batch.models import BatchJob, BatchTarget
from batch.moves import remove
from batch.runner import Runner
from batch.types import Config
from tests.model import moves, real
from tests.model.drains import Act, Watched
from tests.model.rows import TICK, moment, stored_jobs, targets
from tests.model.world import TARGETS_PER_JOB, TTL, Hand, Job, Moved, World

CALLERS = st.sampled_from(["ann", "ann", "bob"])
LISTS = st.sampled_from([("u",), ("v",), ("u", "v"), ("v", "u"), ("u", "v", "w")])
OUTCOMES = st.sampled_from(["done", "failed"])
HAPPENS = st.sampled_from(["", "", "cancel", "reap", "wait"])
ACTS = st.tuples(*[st.builds(Act, OUTCOMES, HAPPENS, HAPPENS)] * TARGETS_PER_JOB)
SELDOM = st.sampled_from([False, False, False, True])
# By number, in the order of their making; also such as are gone.
JOBS = st.runner().flatmap(lambda machine: st.sampled_from(machine.numbers()))
HANDS = st.runner().flatmap(lambda machine: st.sampled_from(sorted(machine.hands)))


def if_any(question: Callable[[Job, int], bool]) -> Any:
    """The rule is for worlds in which there is such a job."""
    return precondition(
        lambda machine: any(question(job, machine.world.clock) for job in machine.world.jobs)
    )


live = if_any(lambda job, now: job.live)
waits = if_any(lambda job, now: job.waits)
in_hand = if_any(lambda job, now: job.in_hand or job.status == "queued")
ended = if_any(lambda job, now: not job.live)
lease_ended = if_any(lambda job, now: not job.live and job.lease <= now)
is_held = precondition(lambda machine: machine.hands)


class SideBySide(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = World(hands=(), jobs_per_caller=2, jobs_total=3)
        self.ids: list[str] = []
        self.urls: dict[str, tuple[str, ...]] = {}
        self.hands: dict[int, Hand] = {}
        self.workers = 0
        self.config = Config(
            ttl=TTL * TICK,
            targets_per_job=TARGETS_PER_JOB,
            jobs_per_caller=self.world.jobs_per_caller,
            jobs_total=self.world.jobs_total,
        )
        self.runner = Runner(config=self.config)
        self.patches = ExitStack()
        for patched in (
            patch.object(database, "now", lambda using: moment(self.world.clock)),
            patch.object(database.Clock, "now", lambda clock: moment(self.world.clock)),
            patch.object(remove, "TARGETS_AT_ONCE", 1),
        ):
            self.patches.enter_context(patched)

    def teardown(self) -> None:
        self.patches.close()
        BatchTarget.objects.all().delete()
        BatchJob.objects.all().delete()

    @invariant()
    def the_rows_are_those_of_the_model(self) -> None:
        rows, wanted = stored_jobs(self.urls), list(self.world.jobs)
        assert rows == wanted, f"\n{rows}\nare not\n{wanted}"

    def moved(self, moved: Moved, answer: Any) -> None:
        self.world, wanted = moved
        assert answer == wanted, f"the answer is {answer!r} and not {wanted!r}"

    def numbers(self) -> list[int]:
        """Of all jobs, and those that are there more often."""
        there = [number for number, name in enumerate(self.ids) if self.world.job(name)]
        return 3 * there + [*range(len(self.ids))]

    # Callers.

    @initialize(cancelled=st.booleans(), ticks=st.integers(0, 2))
    def one_in_hand_and_one_that_waits(self, cancelled: bool, ticks: int) -> None:
        self.submit("ann", ("u", "v"), lost=False)
        self.claim_the_next()
        self.submit("ann", ("u",), lost=False)
        if cancelled:
            self.cancel(0)
        self.wait(ticks)

    @rule(caller=CALLERS, urls=LISTS, lost=SELDOM)
    def submit(self, caller: str, urls: tuple[str, ...], lost: bool) -> None:
        self.make(
            lambda: self.runner.submit(caller, "", targets(urls)),
            lambda world, name: moves.submit(world, name, caller, urls),
            lost,
        )

    @ended
    @rule(job=JOBS, lost=SELDOM)
    def retry(self, job: int, lost: bool) -> None:
        self.make(
            lambda: self.runner.retry(self.ids[job]),
            lambda world, name: moves.retry(world, name, self.ids[job]),
            lost,
        )

    def make(
        self, move: Callable[[], Any], model: Callable[[World, str], Moved], lost: bool
    ) -> None:
        # Room is made in transactions of their own.
        fresh = isinstance(model(self.world, "")[1], tuple)
        answer = real.made(move, lost and fresh)
        name = answer[0] if isinstance(answer, tuple) else ""
        self.moved(moves.making_room(self.world, lambda world: model(world, name)), answer)
        job = self.world.job(name)
        if job and name not in self.urls:
            self.ids.append(name)
            self.urls[name] = job.urls
            # Of two of the same moment, the one with the greater id is the newer one.
            order = sorted(self.world.jobs, key=lambda job: (job.created, job.name))
            self.world = replace(self.world, jobs=tuple(order))

    @live
    @rule(job=JOBS)
    def cancel(self, job: int) -> None:
        name = self.ids[job]
        self.moved(moves.cancel(self.world, name), self.runner.cancel(name))

    @ended
    @rule(job=JOBS, dies=st.booleans())
    def delete(self, job: int, dies: bool) -> None:
        name = self.ids[job]
        answer = real.delete(self.runner, name, dies)
        found = self.world.job(name)
        after, wanted = moves.delete(self.world, name)
        if found and wanted is True:
            dies = dies and len(found.urls) > 1
            after, _ = moves.remove_some(self.world, found) if dies else (after.minus(name), None)
            wanted = None if dies else True
        self.moved((after, wanted), answer)

    # Workers.

    @rule(job=JOBS, lost=SELDOM)
    def claim(self, job: int, lost: bool) -> None:
        name, worker = self.ids[job], f"w{self.workers}"
        answer = real.claim(name, worker, lost)
        self.moved(moves.claim(self.world, name, worker), answer)
        if answer:
            self.take_in_hand(name)

    @waits
    @rule()
    def claim_the_next(self) -> None:
        worker = f"w{self.workers}"
        name = next(job.name for job in self.world.jobs if job.waits)
        assert real.claim_the_next(worker) == name
        self.moved(moves.claim(self.world, name, worker), True)
        self.take_in_hand(name)

    def take_in_hand(self, name: str) -> None:
        self.hands[self.workers] = Hand(name, 1)
        self.workers += 1

    @is_held
    @rule(hand=HANDS)
    def renew(self, hand: int) -> None:
        name, worker = self.hands[hand].job, f"w{hand}"
        answer = real.renewed(name, worker, self.world.clock)
        self.moved(moves.renew(self.world, name, worker), answer)

    @is_held
    @rule(hand=HANDS, outcome=OUTCOMES)
    def record(self, hand: int, outcome: str) -> None:
        answer = self.store(hand, outcome)
        held = self.hands.pop(hand)
        if answer == "go on":
            self.hands[hand] = Hand(held.job, held.claim, held.idx + 1)

    @is_held
    @rule(hand=HANDS, outcome=OUTCOMES)
    def record_and_never_hear_of_it(self, hand: int, outcome: str) -> None:
        self.store(hand, outcome)

    def store(self, hand: int, outcome: str) -> str:
        held = self.hands[hand]
        held = self.hands[hand] = replace(held, outcome=held.outcome or outcome)
        answer = real.recorded(held, self.world.clock)
        self.moved(moves.record(self.world, held, held.outcome), answer)
        return answer

    @is_held
    @rule(hand=HANDS, code=st.sampled_from(["restart", "internal"]))
    def cut_off(self, hand: int, code: str) -> None:
        held = self.hands.pop(hand)
        answer = real.given_up(held, code, self.world.clock)
        self.moved(moves.cut_off(self.world, held, code), answer)

    @rule(job=JOBS, acts=ACTS)
    def drain(self, job: int, acts: tuple[Act, ...]) -> None:
        Watched(self, job, acts).run()

    # Whoever keeps things in order, and the world around.

    @in_hand
    @rule(sole=SELDOM)
    def reap(self, sole: bool) -> None:
        answer = self.runner.mark_in_flight_failed("restart", sole=sole)
        self.moved(moves.reap_all(self.world, sole), answer)

    @lease_ended
    @rule()
    def purge(self) -> None:
        gone = [job.name for job in self.world.jobs if job.expired(self.world.clock)]
        kept = tuple(job for job in self.world.jobs if job.name not in gone)
        assert self.runner.purge(dry_run=True) == len(gone)
        self.moved((replace(self.world, jobs=kept), len(gone)), self.runner.purge())

    @rule(ticks=st.sampled_from([1, 1, 2]))
    def wait(self, ticks: int) -> None:
        self.world = replace(self.world, clock=self.world.clock + ticks)

    @waits
    @rule(job=JOBS)
    def an_accident_leaves_it_queued(self, job: int) -> None:
        found = self.world.job(self.ids[job])
        if found and found.waits:
            BatchJob.objects.filter(id=found.name).update(status="queued")
            self.world = self.world.change(found, status="queued")
