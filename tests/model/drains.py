"""A whole drain under the eyes of the model, and what others do to its job meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest.mock import patch

from django.db import OperationalError

from batch import drain
from batch.errors import FetchError
from batch.models import BatchJob
from batch.moves.record import Next, Record, record
from batch.runner import Runner
from batch.types import FetchContext, Result, Target
from tests.model import moves
from tests.model.world import Hand
from tests.rules.accidents import LOST

if TYPE_CHECKING:
    from tests.model.machine import SideBySide


@dataclass(frozen=True)
class Act:
    """Of one target: its outcome, what happens while it is fetched, and what happens between the
    commit of its outcome and the answer, which is lost then."""

    outcome: str
    meanwhile: str
    before_the_answer: str


class Watched:
    def __init__(self, machine: SideBySide, number: int, acts: tuple[Act, ...]) -> None:
        self.machine = machine
        self.number = number
        self.job = machine.ids[number]
        self.acts = acts
        self.hand = Hand(self.job, 1)
        self.lost: set[int] = set()
        self.wrong: list[BaseException] = []  # a drain survives whatever is raised in it

    def run(self) -> None:
        found = self.machine.world.job(self.job)
        with patch.object(drain, "record", self.record):
            drained = Runner(self.fetch, self.machine.config).drain(self.job)
        for error in self.wrong:
            raise error
        assert drained is (found is not None and found.waits)

    def fetch(self, context: FetchContext, target: Target) -> Result:
        act = self.acts[context.idx]
        try:
            self.begin(context.idx)
            self.happens(act.meanwhile)
        except BaseException as error:
            self.wrong.append(error)
            raise
        if act.outcome == "failed":
            raise FetchError("no", code="told_to_fail")
        return Result("content")

    def begin(self, idx: int) -> None:
        assert self.hand.idx == idx
        if idx == 0:
            worker = BatchJob.objects.values_list("worker", flat=True).get(id=self.job)
            self.machine.moved(moves.claim(self.machine.world, self.job, worker), True)

    def record(self, entry: Record, using: str) -> Next:
        try:
            return self.recorded(entry, using)
        except AssertionError as error:
            self.wrong.append(error)
            raise

    def recorded(self, entry: Record, using: str) -> Next:
        act = self.acts[entry.idx]
        before = self.machine.world
        after, expected = moves.record(before, self.hand, act.outcome)
        answer = record(entry, using)
        # Where nothing was written, the drain asks by itself whether an earlier try was.
        self.machine.moved((after, "lost" if after is before else expected), answer.value)
        if act.before_the_answer and entry.idx not in self.lost:
            self.lost.add(entry.idx)
            self.happens(act.before_the_answer)
            raise OperationalError(LOST)
        if expected == "go on":
            self.hand = Hand(self.job, self.hand.claim, entry.idx + 1)
        return answer

    def happens(self, what: str) -> None:
        self.machine.the_rows_are_those_of_the_model()
        match what:
            case "cancel":
                self.machine.cancel(self.number)
            case "reap":
                self.machine.reap(sole=True)
            case "wait":
                self.machine.wait(2)
        self.machine.the_rows_are_those_of_the_model()
