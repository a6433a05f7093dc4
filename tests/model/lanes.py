"""The line at a lane, by a model of a few lines and by the real moves, side by side.

The model keeps a list a lane, in the order in which jobs came. The rows have to tell the same
after each step, and never more targets run in a lane than may.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
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
from batch.conf import LaneRules
from batch.models import BatchJob, BatchTurn
from batch.moves import lanes
from batch.moves.claim import Claim, claim_job
from batch.moves.end import reap
from batch.runner import Runner
from batch.types import Config, Target
from tests.databases import ALIAS
from tests.model.rows import TICK, moment

JOBS, TARGETS = 5, 5
NAMES = ("", "a", "b")
PLACES = ("a", "a", "b", "a", "")  # of the targets of one job, and of the next from the second on
PER_LANE, PAUSE = 2, 1
ASKED_FOR = 3
ROOMY = Config(jobs_per_caller=JOBS, jobs_total=JOBS)
RULES = LaneRules(per_lane=PER_LANE, pause=PAUSE * TICK)
NUMBERS = st.integers(0, JOBS - 1)
SELDOM = st.sampled_from([False, False, False, True])


class Line(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = 0
        self.claims: dict[int, Claim] = {}
        self.at: dict[int, int] = {}  # the target that a job is at
        self.lost: set[int] = set()  # jobs no longer in their worker's hand
        self.cancelled: set[int] = set()  # those of them that nobody else took
        self.lines: dict[str, list[int]] = {name: [] for name in NAMES}
        self.asked: dict[int, int] = {}  # of those that wait: until when they count
        self.opens: dict[str, int] = dict.fromkeys(NAMES, 0)
        self.patches = ExitStack()
        self.patches.enter_context(patch.object(database, "now", lambda using: moment(self.clock)))
        self.patches.enter_context(patch.object(lanes, "ASKED_FOR", ASKED_FOR * TICK))

    @initialize()
    def start(self) -> None:
        for number in range(JOBS):
            given = [Target(f"https://{number}.e/{i}") for i in range(TARGETS)]
            submission = Runner(config=ROOMY).submit("ann", "", given)
            job = BatchJob.objects.get(id=submission.id)
            claim = claim_job(job.id, "w", timedelta(days=1000), ALIAS, lanes=True)
            assert claim
            self.claims[number], self.at[number] = claim, 0

    def name(self, number: int) -> str:
        return PLACES[(number + self.at[number]) % len(PLACES)]

    def runs(self, number: int) -> bool:
        line = self.lines[self.name(number)]
        return number in line and number not in self.asked

    @rule(ticks=st.integers(0, 2))
    def all_ask(self, ticks: int) -> None:
        self.clock += ticks
        for number in range(JOBS):
            self.asks(number)

    @rule(number=NUMBERS)
    def asks(self, number: int) -> None:
        name = self.name(number)
        answer = lanes.enter(self.claims[number], self.at[number], name, RULES, ALIAS)
        line = self.lines[name]
        if number in self.lost:
            assert not answer.in_hand
            assert answer.lost == (number not in self.cancelled)
            return
        new = number not in line
        if new:
            line.append(number)
        before = line[: line.index(number)]
        running = [each for each in line if each != number and each not in self.asked]
        waiting = [each for each in before if self.asked.get(each, 0) > self.clock]
        ahead = len(running) + len(waiting)
        again = not new and number not in self.asked
        free = not name or (self.opens[name] <= self.clock and ahead < PER_LANE)
        assert answer.runs == (again or free)
        if not answer.runs:
            assert answer.seconds == max(0, self.opens[name] - self.clock) * TICK.total_seconds()
            self.asked[number] = self.clock + ASKED_FOR
            return
        self.asked.pop(number, None)
        self.opens[name] = self.clock + PAUSE

    def running(self) -> list[int]:
        return [number for number in range(JOBS) if self.runs(number)]

    @precondition(running)
    @rule(number=NUMBERS, delay=st.sampled_from([0, PAUSE, 4]))
    def ends(self, number: int, delay: int) -> None:
        number = self.running()[number % len(self.running())]
        name = self.name(number)
        lanes.leave(self.claims[number].job_id, name, delay * TICK, ALIAS)
        self.lines[name].remove(number)
        self.opens[name] = max(self.opens[name], self.clock + delay)
        self.at[number] = (self.at[number] + 1) % TARGETS

    @rule(number=NUMBERS, happens=SELDOM)
    def dies(self, number: int, happens: bool) -> None:
        if not happens:
            return
        BatchJob.objects.filter(id=self.claims[number].job_id, status="running").update(
            claim_expires_at=moment(self.clock - 1)
        )
        assert reap("restart", ALIAS) == (number not in self.lost)
        self.goes(number)

    @rule(number=NUMBERS, happens=SELDOM)
    def is_cancelled(self, number: int, happens: bool) -> None:
        """While it waits: it is let go of when it asks again."""
        if not happens or number in self.lost or self.runs(number):
            return
        assert Runner().cancel(str(self.claims[number].job_id))
        self.lost.add(number)
        self.cancelled.add(number)
        self.asks(number)
        self.goes(number)

    def goes(self, number: int) -> None:
        self.lost.add(number)
        self.asked.pop(number, None)
        for line in self.lines.values():
            if number in line:
                line.remove(number)

    @rule(ticks=st.integers(1, 3))
    def time_passes(self, ticks: int) -> None:
        self.clock += ticks

    @invariant()
    def the_rows_tell_the_same(self) -> None:
        numbers = {claim.job_id: number for number, claim in self.claims.items()}
        for name in NAMES[1:]:
            turns = BatchTurn.objects.filter(lane=name).order_by("ticket")
            assert [numbers[turn.job_id] for turn in turns] == self.lines[name]
            running = turns.filter(asked_until=None)
            assert {numbers[turn.job_id] for turn in running} == {
                number for number in self.lines[name] if number not in self.asked
            }
            assert running.count() <= PER_LANE

    def teardown(self) -> None:
        self.patches.close()
        BatchJob.objects.all().delete()
        lanes.BatchLane.objects.all().delete()
