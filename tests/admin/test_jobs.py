"""The list of jobs and a job's page."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batch.models import BatchJob, BatchTarget, BatchTurn, JobStatus, TargetState

from .conftest import keys, listed, make_job, page_of, shown


def test_the_newest_job_is_first(root: Client) -> None:
    old = make_job(created_at=timezone.now() - timedelta(days=1))
    new = make_job()
    assert keys(root) == [new.pk, old.pk]


def test_a_row_tells_status_progress_caller_class_and_lease(root: Client) -> None:
    now = timezone.now()
    make_job(
        targets=10,
        done=5,
        failed=2,
        caller="user:77",
        caller_class="gold",
        started_at=now - timedelta(seconds=90),
        lease_expires_at=now + timedelta(hours=2, minutes=30, seconds=30),
    )
    page = shown(root, listed())
    assert 'class="batch-badge batch-running"' in page
    assert "3 done" in page
    assert "2 failed" in page
    assert "5 waiting" in page
    assert "user:77" in page
    assert "gold" in page
    assert "1 min 3" in page
    assert "2 h 30 min" in page


def test_a_job_that_no_worker_has_taken_says_so(root: Client) -> None:
    make_job()
    assert "no worker yet" in shown(root, listed())


@pytest.mark.parametrize("waits", [True, False])
def test_a_job_whose_next_target_waits_for_its_lane_says_so(
    root: Client, settings: Any, waits: bool
) -> None:
    settings.BATCH = {"PER_LANE": 1}
    job = make_job(started_at=timezone.now())
    asked_until = timezone.now() if waits else None
    BatchTurn.objects.create(job=job, lane="<b>.example", ticket=1, asked_until=asked_until)
    said = "waits for its turn at &lt;b&gt;.example"
    assert (said in shown(root, listed())) == waits
    assert (said in shown(root, page_of(job))) == waits
    live = root.get(reverse("admin:batch_batchjob_live"), {"jobs": str(job.pk)}).json()
    assert (said in live["jobs"][str(job.pk)]["cells"]["state"]) == waits


def test_one_failure_among_many_can_be_seen_in_the_bar(root: Client) -> None:
    make_job(targets=0)
    BatchJob.objects.update(targets_total=100_000, targets_done=100_000, targets_failed=1)
    page = shown(root, listed())
    assert '<rect class="batch-failed" x="98.04" width="1.96" height="8">' in page


def test_what_a_cancelled_job_left_undone_is_not_said_to_wait(root: Client) -> None:
    make_job(targets=3, done=1, status=JobStatus.CANCELLED)
    page = shown(root, listed())
    assert "2 undone" in page
    assert "waiting" not in page


def test_jobs_beyond_the_first_page_can_be_reached(root: Client) -> None:
    now = timezone.now()
    made = [make_job(targets=1, created_at=now - timedelta(seconds=n)).pk for n in range(105)]
    assert keys(root, p=2) == made[100:]


def test_nobody_deletes_a_job_by_hand(root: Client) -> None:
    job = make_job()
    assert root.post(page_of(job).replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert "delete_selected" not in shown(root, listed())
    answer = root.post(
        listed(), {"action": "delete_selected", "_selected_action": job.pk, "post": "yes"}
    )
    assert answer.status_code == 403
    assert BatchJob.objects.filter(pk=job.pk).exists()


@pytest.mark.parametrize("permissions", [["view_batchjob"], ["view_batchjob", "change_batchjob"]])
def test_a_job_is_shown_and_has_nothing_to_save(
    staff: Callable[..., Client], permissions: list[str]
) -> None:
    job = make_job()
    client = staff(*permissions)
    page = shown(client, page_of(job))
    assert str(job.pk) in page
    assert 'name="_save"' not in page
    assert client.post(page_of(job), {"caller": "mallory", "_save": "1"}).status_code == 403
    job.refresh_from_db()
    assert job.caller == "user:1"


def test_staff_without_permission_see_no_job(staff: Callable[..., Client]) -> None:
    job = make_job()
    client = staff()
    assert client.get(listed()).status_code == 403
    assert client.get(page_of(job)).status_code == 403


def test_an_unknown_job_leads_back_to_the_index(root: Client) -> None:
    for key in (uuid4(), "nonsense"):
        path = f"{listed()}{key}/change/"
        assert root.get(path).status_code == 302


def test_a_jobs_page_tells_about_its_targets(root: Client) -> None:
    job = make_job(targets=3, done=2, failed=1)
    page = shown(root, page_of(job))
    for target in BatchTarget.objects.filter(job=job):
        assert page_of(target) in page
        assert f'href="{target.url}"' in page
    assert "no such page" in page
    assert "text/html" in page
    assert "batch-pending" in page


def test_a_jobs_page_tells_its_failure_if_it_has_one(root: Client) -> None:
    assert "Failure" not in shown(root, page_of(make_job()))
    page = shown(root, page_of(make_job(status=JobStatus.FAILED, error="restart")))
    assert "Failure" in page
    assert "restart" in page


def test_a_jobs_targets_come_in_pages(root: Client) -> None:
    job = make_job(targets=120)
    page = shown(root, page_of(job))
    assert f"{job.pk}/0<" in page
    assert f"{job.pk}/50<" not in page
    last = shown(root, page_of(job), p=3)
    assert f"{job.pk}/119<" in last
    assert f"{job.pk}/99<" not in last
    assert shown(root, page_of(job), p=99).count("batch-pending") == 20


def test_a_jobs_page_leads_to_its_failed_targets(root: Client) -> None:
    job = make_job(targets=3, done=2, failed=1)
    make_job(targets=3, done=2, failed=1)
    page = shown(root, page_of(job))
    assert f"?job={job.pk}&amp;status=failed" in page
    found = keys(root, BatchTarget, job=job.pk, status="failed")
    (failed,) = BatchTarget.objects.filter(job=job, status=TargetState.FAILED)
    assert found == [failed.pk]


def test_the_index_offers_jobs_to_be_viewed(root: Client) -> None:
    page = shown(root, "/admin/batch/")
    assert listed() in page
    assert "changelink" not in page
    assert f'<a href="{listed()}add/" class="addlink"' in page
