"""Random moves by several callers and workers lead to the answers and the rows of the model."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as chosen
from hypothesis.stateful import run_state_machine_as_test

from tests.concurrency import rounds
from tests.databases import KIND
from tests.model.machine import SideBySide
from tests.model.rows import TICK
from tests.model.world import HOLD

# The steps of a failure are made fewer and fewer, which takes a while.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]


def run(settings: Any, examples: int, steps: int, **options: Any) -> None:
    # The TTL is another one than the runner's own, which has to win.
    settings.BATCH = {"CLAIM_SECONDS": (HOLD * TICK).total_seconds(), "TTL_SECONDS": 1}
    few = chosen(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        **options,
    )
    run_state_machine_as_test(SideBySide, settings=few)


def test_the_moves_do_what_the_model_does(settings: Any) -> None:
    # As many as it takes to find each fault that was real; where a server answers, a few.
    run(settings, examples=80 if KIND == "sqlite" else 15, steps=50, derandomize=True)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_moves_do_what_the_model_does_in_many_orders(settings: Any) -> None:
    run(settings, examples=rounds(1000), steps=80)
