"""How a drain goes through lanes: when it asks again, and what a refused fetch means for all."""

from __future__ import annotations

import json
import random
from datetime import timedelta

from batch.conf import LaneRules
from batch.moves import lanes
from batch.moves.claim import Claim
from batch.moves.record import Lane
from batch.outcome import Outcome

SOON_SECONDS = 0.05  # a full lane is asked again so soon, then after ever longer pauses
LATE_SECONDS = 2.0  # also of a closed one: the job may have been cancelled; under ASKED_FOR
LONGEST_DELAY = timedelta(hours=1)  # a host may say anything


class Politeness:
    """Takes the targets of one drain through their lanes."""

    def __init__(self, claim: Claim, rules: LaneRules, using: str) -> None:
        self._claim = claim
        self._rules = rules
        self._using = using
        self._pause = SOON_SECONDS

    def enter(self, idx: int, lane: str) -> lanes.Answer:
        """The lane's answer; if the target has to wait, for how many seconds before the next
        try."""
        answer = lanes.enter(self._claim, idx, lane, self._rules, self._using)
        if answer.runs or not answer.in_hand:
            self._pause = SOON_SECONDS
            return answer
        if not (seconds := answer.seconds):
            seconds = self._pause * random.uniform(0.75, 1)
            self._pause = min(self._pause * 1.5, LATE_SECONDS / 2)
        return answer._replace(seconds=min(seconds, LATE_SECONDS))

    def left(self, lane: str, outcome: Outcome) -> Lane:
        """The lane after this outcome. A failure that says ``retry_after`` delays it for all."""
        return Lane(lane, max(self._rules.pause, _retry_after(outcome)))


def _retry_after(outcome: Outcome) -> timedelta:
    """The seconds under ``retry_after`` of a ``FetchError``'s meta, if they are a number."""
    details = json.loads(outcome.details) if outcome.details else {}
    seconds = details.get("retry_after")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return timedelta()
    if seconds != seconds:  # NaN; math.isnan raises at a whole number of 400 digits
        return timedelta()
    return timedelta(seconds=min(max(seconds, 0), LONGEST_DELAY.total_seconds()))
