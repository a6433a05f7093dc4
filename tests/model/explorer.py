"""Every state that can be reached, breadth first, and the shortest way to a broken rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.model.actors import Step
from tests.model.rules import RULES
from tests.model.world import World, canonical

Steps = Callable[[World], Iterator[Step]]


class RuleBroken(AssertionError):
    """Its text is the way there, step by step."""

    def __init__(self, rule: str, way: list[str]) -> None:
        super().__init__("\n".join([rule, *way]))
        self.rule = rule


@dataclass(frozen=True)
class Seen:
    states: int
    transitions: int
    answers: frozenset[tuple[str, str]]  # (move, what it answered)
    complete: bool


def explore(
    starts: Iterable[World], steps: Steps, most_jobs: int, deepest: int | None = None
) -> Seen:
    """Visit all states of at most ``most_jobs`` jobs at a time, or those within ``deepest`` steps.

    Raises ``RuleBroken``.
    """
    came_from: dict[World, World | None] = {canonical(start): None for start in starts}
    level = list(came_from)
    depth = transitions = 0
    answers = set()
    while level and depth != deepest:
        ahead = []
        for before in level:
            for step in steps(before):
                if len(step.after.jobs) > most_jobs:
                    continue
                transitions += 1
                answers.add((step.move, step.answer))
                for rule in RULES:
                    if not rule(before, step):
                        way = [*_way(before, came_from, steps), str(step)]
                        raise RuleBroken(rule.__name__, way)
                if step.after is before:
                    continue
                after = canonical(step.after)
                if after not in came_from:
                    came_from[after] = before
                    ahead.append(after)
        level = ahead
        depth += 1
    told = frozenset((move, str(answer)) for move, answer in answers)
    return Seen(len(came_from), transitions, told, complete=not level)


def _way(state: World, came_from: dict[World, World | None], steps: Steps) -> list[str]:
    told: list[str] = []
    while before := came_from[state]:
        step = next(step for step in steps(before) if canonical(step.after) == state)
        told.insert(0, str(step))
        state = before
    return told
