"""In every state that the model can reach the rules hold; the explorer would see it otherwise."""

import logging
from collections.abc import Callable
from functools import partial

import pytest

from tests.concurrency import rounds
from tests.model.actors import steps
from tests.model.explorer import RuleBroken, Seen, explore
from tests.model.faults import FAULTS, with_fault
from tests.model.moves import Moves
from tests.model.world import TTL, Job, Moved, World

logger = logging.getLogger(__name__)

# Left by somebody who wrote rows by hand: no move of ours leaves one.
QUEUED = Job("by hand", "c0", ("u", "v"), 0, TTL, ("pending", "pending"), status="queued")
# What has to happen somewhere, or little was seen.
ANSWERS = {
    "submit": ["(0, False)", "(0, True)", "too many targets", "busy"],
    "retry": ["(1, False)", "live", "nothing to retry", "busy"],
    "claim": ["True", "None"],
    "renew": ["True", "False"],
    "record": ["go on", "ended", "lost", "None"],
    "cancel": ["True", "False"],
    "reap": ["True", "False"],
    "sole": ["True", "False"],
    "cut_off": ["True", "False"],
    "delete": ["True", "live"],
    "purge": ["True", "False"],
}


def seen(world: World, most_jobs: int, deepest: int | None = None) -> Seen:
    starts = [world, world.plus(QUEUED)]
    found = explore(starts, partial(steps, moves=Moves()), most_jobs, deepest)
    # To be seen with --log-cli-level=info.
    logger.info("%s states and %s transitions", found.states, found.transitions)
    return found


@pytest.mark.parametrize(
    ("world", "refusal"),
    [(World(), "busy"), (World(jobs_per_caller=2, jobs_total=1), "jobs busy")],
    ids=["one for each caller", "one in all"],
)
def test_the_rules_hold_in_every_state_of_one_job_at_a_time(world: World, refusal: str) -> None:
    found = seen(world, most_jobs=1)
    assert found.complete
    assert found.states > 1500
    assert ("submit", refusal) in found.answers


def test_the_rules_hold_within_six_steps_of_two_jobs_at_a_time() -> None:
    found = seen(World(), most_jobs=2, deepest=6)
    assert found.states > 5000
    assert found.answers >= {(move, one) for move, many in ANSWERS.items() for one in many}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_rules_hold_in_many_steps_of_two_jobs_at_a_time() -> None:
    assert seen(World(), most_jobs=2, deepest=rounds(10)).transitions > 0


@pytest.mark.parametrize(
    ("fault", "rule"), FAULTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_fault_is_found(fault: Callable[..., Moved], rule: int) -> None:
    def search() -> None:
        for most_jobs in (1, 2):
            explore([World()], partial(steps, moves=with_fault(fault)), most_jobs, deepest=7)

    with pytest.raises(RuleBroken) as caught:
        search()
    assert caught.value.rule.startswith(f"rule_{rule}_")
