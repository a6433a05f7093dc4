"""Progress without a reload: what the script is told."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batch.models import BatchJob, JobStatus
from tests.connection import connection

from .conftest import listed, make_job, page_of, shown

LIVE = "/admin/batch/batchjob/live/"


def told(client: Client, *jobs: BatchJob) -> Any:
    answer = client.get(LIVE, {"jobs": ".".join(job.pk.hex for job in jobs)})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert "no-store" in answer.headers["Cache-Control"]
    return answer.json()["jobs"]


def test_a_live_jobs_cells_are_marked_on_the_list_and_on_its_page(root: Client) -> None:
    job = make_job()
    mark = f'<span data-batch-job="{job.pk}" data-batch-cell='
    for page in (shown(root, listed()), shown(root, page_of(job))):
        assert f'{mark}"state">' in page
        assert f'{mark}"progress">' in page
        assert f'data-address="{LIVE}"' in page
        assert 'role="status" aria-live="polite"' in page
        assert '<script src="/static/batch/live.js" defer></script>' in page


def test_where_nothing_is_live_nothing_is_asked(root: Client) -> None:
    job = make_job(done=2, status=JobStatus.DONE)
    for page in (shown(root, listed()), shown(root, page_of(job))):
        assert "data-batch-job" not in page
        assert "data-address" not in page


def test_the_answer_is_what_the_page_would_show(root: Client) -> None:
    job = make_job(targets=3, done=1, started_at=timezone.now())
    BatchJob.objects.update(targets_done=2, targets_failed=1)
    answer = told(root, job)[str(job.pk)]
    assert (answer["live"], answer["status"]) == (True, "running")
    assert answer["said"] == "2 of 3 targets ended, 1 failed"
    assert "1 waiting" in answer["cells"]["progress"]
    assert answer["cells"]["progress"] in shown(root, listed())
    assert answer["cells"]["state"] in shown(root, page_of(job))


def test_a_job_that_ended_is_not_marked_any_more(root: Client) -> None:
    job = make_job()
    BatchJob.objects.update(status=JobStatus.CANCELLED, finished_at=timezone.now())
    answer = told(root, job)[str(job.pk)]
    assert (answer["live"], answer["status"]) == (False, "cancelled")
    assert "data-batch-job" not in str(answer["cells"])


def test_a_job_that_is_gone_or_never_was_is_left_out(root: Client) -> None:
    job = make_job()
    asked = f"{uuid4().hex}.nonsense..{job.pk.hex}.\x00"
    assert list(root.get(LIVE, {"jobs": asked}).json()["jobs"]) == [str(job.pk)]
    assert root.get(LIVE).json() == {"jobs": {}}


def test_at_most_a_pageful_of_jobs_is_told(root: Client) -> None:
    jobs = [make_job(targets=0) for _ in range(101)]
    assert len(told(root, *jobs)) == 100


def test_a_hundred_jobs_take_one_query_as_one_does(root: Client) -> None:
    jobs = [make_job(targets=0) for _ in range(100)]
    told(root, *jobs)
    counts = []
    for asked in (jobs[:1], jobs):
        with CaptureQueriesContext(connection) as captured:
            told(root, *asked)
        counts.append(len(captured))
        assert len([each for each in captured if "batch_batch" in each["sql"]]) == 1
    assert counts[0] == counts[1]


def test_who_may_not_see_jobs_is_told_nothing(staff: Callable[..., Client]) -> None:
    job = make_job()
    client = staff("add_batchjob", "delete_batchjob", "view_batchworker")
    answer = client.get(LIVE, {"jobs": job.pk.hex})
    assert answer.status_code == 403
    assert str(job.pk) not in answer.content.decode()


@pytest.mark.parametrize("permission", ["view_batchjob", "change_batchjob"])
def test_who_may_see_jobs_is_told(staff: Callable[..., Client], permission: str) -> None:
    job = make_job()
    assert list(told(staff(permission), job)) == [str(job.pk)]


@pytest.mark.django_db
def test_a_stranger_is_sent_to_the_login(client: Client) -> None:
    answer = client.get(LIVE)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/admin/login/")


def test_it_can_only_be_read(root: Client) -> None:
    assert root.post(LIVE, {"jobs": "x"}).status_code == 405


def test_text_of_strangers_is_escaped(root: Client) -> None:
    bad = "<script>alert(1)</script>"
    job = make_job(worker=bad, caller=bad, error=bad)
    assert bad not in str(told(root, job))
