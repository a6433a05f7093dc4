"""Metrics: what happens in a process, and in several that tell it together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from prometheus_client import REGISTRY

from batch.metrics import events
from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from batch.signals import claim_reaped, job_finished, job_refused, target_finished
from batch.testing import FakeFetch
from batch.types import Config
from tests.processes import Processes
from tests.rules.jobs import HOUR, claim, drained, submit, targets
from tests.unit.commands import refused
from tests.unit.samples import samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def counted() -> Iterator[Any]:
    """Asks by how much a metric of this process has grown since the test began."""
    events.count()
    events.count()
    before: dict[Any, float] = {}

    def value(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0

    for family in REGISTRY.collect():
        for sample in family.samples:
            before[sample.name, *sorted(sample.labels.items())] = sample.value
    yield (
        lambda name, **labels: (
            value(name, **labels) - before.get((name, *sorted(labels.items())), 0)
        )
    )
    for each in (target_finished, job_finished, claim_reaped, job_refused):
        each.disconnect(dispatch_uid="batch.metrics")


@pytest.mark.django_db(transaction=True)
def test_outcomes_are_counted_by_status_and_code(counted: Any) -> None:
    given = targets(3)
    fetch = FakeFetch(fail=[given[1].url], seconds=0.01)
    drained(fetch, given)
    assert counted("batch_targets_total", status="done", code="") == 2
    assert counted("batch_targets_total", status="failed", code="told_to_fail") == 1
    assert counted("batch_target_seconds_count", status="done") == 2
    assert 0.02 <= counted("batch_target_seconds_sum", status="done") < 5
    assert counted("batch_jobs_total", status="partial") == 1
    assert counted("batch_job_waiting_seconds_count") == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_that_no_worker_had_did_not_wait_for_one_in_the_end(counted: Any) -> None:
    assert Runner().cancel(submit())
    assert counted("batch_jobs_total", status="cancelled") == 1
    assert counted("batch_job_waiting_seconds_count") == 0


@pytest.mark.django_db(transaction=True)
def test_an_outcome_of_a_job_that_is_gone_is_passed_over(counted: Any) -> None:
    job_id = drained(FakeFetch())
    BatchJob.objects.filter(id=job_id).delete()
    target_finished.send(None, job_id=job_id, idx=0, status="done")
    assert counted("batch_targets_total", status="done", code="") == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_taken_from_a_dead_worker_is_counted(counted: Any) -> None:
    claim(submit(), -HOUR)
    assert Runner().mark_in_flight_failed("restart") == 1
    assert counted("batch_claims_reaped_total") == 1
    assert counted("batch_targets_total", status="failed", code="restart") == 1


@pytest.mark.urls("sift_batch.urls")
@pytest.mark.parametrize("door", ["api", "admin", "command", "retry in the admin"])
def test_a_refusal_by_a_cap_is_counted_at_every_door(
    counted: Any, settings: Any, door: str
) -> None:
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    settings.BATCH = {**settings.BATCH, "TARGETS_PER_JOB": 1}
    old = submit(2)
    assert Runner().cancel(old)
    given = "https://a.test/\nhttps://b.test/"
    match door:
        case "api":
            body = {"targets": given.split()}
            answer = root.post("/api/jobs/", body, content_type="application/json")
            assert answer.status_code == 422
        case "admin":
            assert root.post("/admin/batch/batchjob/add/", {"urls": given}).status_code == 200
        case "command":
            refused("batch_submit", *given.split(), code=2)
        case _:
            deed = {"action": "retry_jobs", "_selected_action": [old], "post": "yes"}
            root.post("/admin/batch/batchjob/", deed)
    assert BatchJob.objects.count() == 1
    assert counted("batch_refusals_total", cap="targets_per_job") == 1


def test_a_question_of_what_would_be_refused_is_none(counted: Any) -> None:
    (problem,) = Runner(config=Config(targets_per_job=1)).check("", targets(2))
    assert problem.code == "too_many_targets"
    assert counted("batch_refusals_total", cap="targets_per_job") == 0


def test_every_cap_is_told_before_the_first_refusal() -> None:
    told = {
        sample.labels["cap"] for (each,) in [events.REFUSALS.collect()] for sample in each.samples
    }
    assert told == {"targets_per_job", "jobs_per_caller", "jobs_total"}


def test_codes_beyond_a_number_are_counted_as_one(
    counted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_codes", {"known"})
    monkeypatch.setattr(events, "MOST_CODES", 2)
    for code in ("known", "new", "newer", "newest", "new"):
        job_id = drained(FakeFetch())
        BatchTarget.objects.filter(job_id=job_id).update(code=code)
        target_finished.send(None, job_id=job_id, idx=0, status="failed")
    found = {
        code: counted("batch_targets_total", status="failed", code=code)
        for code in ("known", "new", "newer", "newest", "other")
    }
    assert found == {"known": 1, "new": 2, "newer": 0, "newest": 0, "other": 2}


REFUSED = """
import django
django.setup()
from batch.errors import CapError
from batch.metrics import view
from batch.runner import Runner
from batch.types import Config, Target
given = [Target("https://a.test/"), Target("https://b.test/")]
try:
    Runner(config=Config(targets_per_job=1)).submit("ann", "", given)
except CapError:
    print(view.generate_latest(view.REGISTRY).decode())
"""


@pytest.mark.django_db(transaction=True)
def test_processes_that_share_a_folder_tell_what_happened_in_all_of_them(
    processes: Processes, tmp_path: Any
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    found = []
    for _ in range(2):
        process = processes.python("-c", REFUSED, env={"PROMETHEUS_MULTIPROC_DIR": str(folder)})
        assert process.wait() == 0, process.err
        found.append(samples(process.out))
    assert [each["batch_refusals_total", "targets_per_job"] for each in found] == [1, 2]
    assert found[1]["batch_jobs_waiting",] == 0
