"""Signals for strangers: after the commit, once each, and harmless when a receiver fails."""

from collections.abc import Iterator
from typing import Any

import pytest

from batch import signals
from batch.runner import Runner
from batch.testing import FakeFetch
from tests.connection import connection
from tests.rules.jobs import HOUR, ROOMY, claim, rolled_back, row, states, submit, targets

pytestmark = pytest.mark.django_db(transaction=True)

ALL = ("job_submitted", "target_finished", "job_finished")
Heard = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def heard() -> Iterator[Heard]:
    """What each signal said, in the order in which it was said."""
    said: Heard = []
    receivers = []
    for name in ALL:

        def receive(sender: Any, signal: Any, name: str = name, **what: Any) -> None:
            said.append((name, what))

        getattr(signals, name).connect(receive, weak=False)
        receivers.append((name, receive))
    yield said
    for name, receive in receivers:
        getattr(signals, name).disconnect(receive)


def test_a_job_is_told_of_from_its_submit_to_its_end(heard: Heard) -> None:
    given = targets(2)
    runner = Runner(FakeFetch(fail=[given[1].url]), ROOMY)
    job_id = runner.submit("ann", "", given).id
    runner.drain(job_id)
    assert heard == [
        ("job_submitted", {"job_id": job_id}),
        ("target_finished", {"job_id": job_id, "idx": 0, "status": "done"}),
        ("target_finished", {"job_id": job_id, "idx": 1, "status": "failed"}),
        ("job_finished", {"job_id": job_id, "status": "partial"}),
    ]


def test_plain_texts_are_sent(heard: Heard) -> None:
    job_id = submit()
    Runner(FakeFetch()).drain(job_id)
    for _, what in heard:
        assert type(what["job_id"]) is str
        assert type(what.get("status", "")) is str


def test_a_cancel_is_told_of_once_and_the_target_in_flight_too(heard: Heard) -> None:
    job_id = submit(3)

    def cancelling(context: Any, target: Any) -> Any:
        Runner().cancel(job_id)
        return FakeFetch()(context, target)

    Runner(cancelling).drain(job_id)
    assert heard[1:] == [
        ("job_finished", {"job_id": job_id, "status": "cancelled"}),
        ("target_finished", {"job_id": job_id, "idx": 0, "status": "done"}),
    ]


def test_a_restart_is_told_of(heard: Heard) -> None:
    job_id = submit(3)
    claim(job_id, -HOUR)
    Runner().mark_in_flight_failed("restart")
    assert heard[1:] == [
        ("target_finished", {"job_id": job_id, "idx": 0, "status": "failed"}),
        ("job_finished", {"job_id": job_id, "status": "failed"}),
    ]


def test_a_reuse_is_not_told_of(heard: Heard) -> None:
    given = targets()
    Runner().submit("ann", "", given)
    Runner().submit("ann", "", given)
    assert [name for name, _ in heard] == ["job_submitted"]


def test_a_refusal_is_not_told_of(heard: Heard) -> None:
    submit()
    with pytest.raises(Exception, match="busy"):
        Runner().submit("ann", "", targets())
    assert len(heard) == 1


def test_nothing_is_told_of_what_is_rolled_back(heard: Heard) -> None:
    with rolled_back():
        Runner().cancel(submit())
    assert not heard


def test_a_receiver_sees_what_it_is_told_of() -> None:
    seen: list[tuple[str, int]] = []

    def look(sender: Any, job_id: str, idx: int, **what: Any) -> None:
        seen.append((states(job_id)[idx], row(job_id).targets_done))

    signals.target_finished.connect(look, weak=False)
    try:
        job_id = submit(2)
        Runner(FakeFetch()).drain(job_id)
    finally:
        signals.target_finished.disconnect(look)
    assert seen == [("done", 1), ("done", 2)]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        *((name, ValueError) for name in ALL),
        # In the process that submits, ending it is that process's own affair.
        ("target_finished", SystemExit),
        ("job_finished", SystemExit),
    ],
)
def test_a_receiver_that_raises_changes_nothing(name: str, error: Any, caplog: Any) -> None:
    def fail(sender: Any, **what: Any) -> None:
        raise error("receiver")

    signals_of = getattr(signals, name)
    signals_of.connect(fail, weak=False)
    try:
        job_id = submit(3)
        Runner(FakeFetch()).drain(job_id)
    finally:
        signals_of.disconnect(fail)
    assert (row(job_id).status, states(job_id)) == ("done", ["done"] * 3)
    assert "receiver" in caplog.text


def test_a_receiver_that_breaks_its_own_statement_harms_nothing() -> None:
    def spoil(sender: Any, **what: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT nothing FROM nowhere")

    signals.target_finished.connect(spoil, weak=False)
    try:
        job_id = submit(3)
        Runner(FakeFetch()).drain(job_id)
    finally:
        signals.target_finished.disconnect(spoil)
    assert states(job_id) == ["done"] * 3


def test_a_receiver_may_submit_the_next_job() -> None:
    following: list[str] = []

    def go_on(sender: Any, **what: Any) -> None:
        following.append(Runner().submit("ann", "", targets()).id)

    signals.job_finished.connect(go_on, weak=False)
    try:
        Runner(FakeFetch()).drain(submit())
    finally:
        signals.job_finished.disconnect(go_on)
    assert [row(job_id).status for job_id in following] == ["running"]
