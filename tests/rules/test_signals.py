"""Signals for strangers: after the commit, once each, and harmless when a receiver fails."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from batch import signals
from batch.errors import (
    CallerBusyError,
    CapError,
    InvalidTargetsError,
    JobsBusyError,
    TooManyTargetsError,
)
from batch.models import BatchJob
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Config
from tests.connection import connection
from tests.rules.jobs import (
    HOUR,
    ROOMY,
    change,
    claim,
    rolled_back,
    row,
    states,
    submit,
    targets,
    terminal,
)

pytestmark = pytest.mark.django_db(transaction=True)

ALL = ("job_submitted", "target_finished", "job_finished", "claim_reaped", "job_refused")
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
        ("claim_reaped", {"job_id": job_id, "worker": "host:1:aa"}),
    ]


def test_a_cancelled_jobs_claim_is_reaped_as_well(heard: Heard) -> None:
    job_id = submit(3)
    claim(job_id, -HOUR)
    Runner().cancel(job_id)
    Runner().mark_in_flight_failed("restart")
    assert heard[-1] == ("claim_reaped", {"job_id": job_id, "worker": "host:1:aa"})
    assert ("job_finished", {"job_id": job_id, "status": "failed"}) not in heard


def test_a_queued_row_that_is_failed_had_no_claim(heard: Heard) -> None:
    job_id = submit()
    change(job_id, status="queued", created_at=timezone.now() - HOUR)
    assert Runner().mark_in_flight_failed("restart") == 1
    assert [name for name, _ in heard] == ["job_submitted", "job_finished"]


def test_a_reuse_is_not_told_of(heard: Heard) -> None:
    given = targets()
    Runner().submit("ann", "", given)
    Runner().submit("ann", "", given)
    assert [name for name, _ in heard] == ["job_submitted"]


def refuse_many() -> None:
    Runner(config=Config(targets_per_job=1)).submit("ann", "", targets(2))


def refuse_caller() -> None:
    submit()
    Runner().submit("ann", "", targets())


def refuse_total() -> None:
    submit(caller="bob")
    Runner(config=Config(jobs_total=1)).submit("ann", "", targets())


def refuse_retry() -> None:
    old = terminal("failed")
    submit()
    Runner().retry(old)


@pytest.mark.parametrize(
    ("refuse", "error", "cap"),
    [
        (refuse_many, TooManyTargetsError, "targets_per_job"),
        (refuse_caller, CallerBusyError, "jobs_per_caller"),
        (refuse_total, JobsBusyError, "jobs_total"),
        (refuse_retry, CallerBusyError, "jobs_per_caller"),
    ],
)
def test_a_refusal_by_a_cap_is_told_of_once_and_no_submit(
    heard: Heard, refuse: Any, error: type[CapError], cap: str
) -> None:
    with pytest.raises(error) as refused:
        refuse()
    assert refused.value.cap == cap
    names = [name for name, _ in heard]
    assert heard[-1] == ("job_refused", {"cap": cap})
    assert names.count("job_refused") == 1
    assert names.count("job_submitted") == BatchJob.objects.count()


def test_a_refusal_for_what_was_asked_is_none_by_a_cap(heard: Heard) -> None:
    with pytest.raises(InvalidTargetsError):
        Runner().submit("ann", "", [])
    assert not heard


def test_who_listens_to_refusals_may_write(heard: Heard) -> None:
    """It is told after the transaction that was refused, not in it."""
    made: list[str] = []

    def note(sender: Any, **what: Any) -> None:
        made.append(submit(caller="bob"))

    signals.job_refused.connect(note, weak=False)
    try:
        with pytest.raises(CallerBusyError):
            refuse_caller()
    finally:
        signals.job_refused.disconnect(note)
    assert row(made[0]).status == "running"


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
        *((name, ValueError) for name in ALL[:3]),
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
