"""Rule 10 where a commit succeeds and its answer is lost with the connection."""

from typing import Any

import pytest
from django.db.utils import OperationalError

from batch import drain
from batch.moves.record import Next, record
from batch.runner import Runner
from batch.signals import job_finished, target_finished
from batch.testing import FakeFetch
from tests.rules.jobs import row, states, submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("idx", [0, 1, 2])
def test_an_outcome_whose_answer_was_lost_counts_as_stored(
    idx: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[int] = []

    def losing(entry: Any, using: str) -> Next:
        answer = record(entry, using)
        if entry.idx == idx and not lost:
            lost.append(idx)
            raise OperationalError("database is locked")  # of the kinds that are repeated
        return answer

    told: list[str] = []

    def hear(sender: Any, **what: Any) -> None:
        told.append(what["status"])

    target_finished.connect(hear)
    job_finished.connect(hear)
    monkeypatch.setattr(drain, "record", losing)
    fetch = FakeFetch()
    job_id = submit(3)
    try:
        assert Runner(fetch).drain(job_id)
    finally:
        target_finished.disconnect(hear)
        job_finished.disconnect(hear)
    assert lost == [idx]
    assert states(job_id) == ["done"] * 3
    assert row(job_id).status == "done"
    assert len(fetch.urls) == 3
    assert told.count("done") >= 4
