"""Jobs that come to lanes in random orders are let through as the model says."""

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as chosen
from hypothesis.stateful import run_state_machine_as_test

from tests.concurrency import rounds
from tests.model.lanes import Line

pytestmark = pytest.mark.django_db(transaction=True)


def run(examples: int, **options: bool) -> None:
    few = chosen(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        **options,
    )
    run_state_machine_as_test(Line, settings=few)


@pytest.mark.only_on("sqlite")
def test_lanes_let_through_whom_the_model_does() -> None:
    run(6, derandomize=True)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_lanes_let_through_whom_the_model_does_in_many_orders() -> None:
    run(rounds(300))
