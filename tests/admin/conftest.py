"""Who looks at the admin, and what there is to look at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batch.models import TERMINAL, BatchJob, BatchTarget, JobStatus, TargetState
from batch.runner import Runner
from batch.types import FetchContext, Result, Target


@pytest.fixture
def root(db: None) -> Client:
    """A superuser's browser."""
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


@pytest.fixture
def staff(db: None) -> Callable[..., Client]:
    """Makes the browser of a staff user who has just these permissions."""

    def make(*codenames: str) -> Client:
        user = get_user_model().objects.create_user("staff", is_staff=True)
        for codename in codenames:
            permission = Permission.objects.get(content_type__app_label="batch", codename=codename)
            user.user_permissions.add(permission)
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def caps(settings: Any) -> None:
    """So many jobs as a test likes."""
    settings.BATCH = {"JOBS_PER_CALLER": 1000, "JOBS_TOTAL": 1000, "TARGETS_PER_JOB": 1000}


def make_job(targets: int = 2, done: int = 0, failed: int = 0, **fields: Any) -> BatchJob:
    """A job's row with its targets' rows, the first ``done`` of them stored."""
    status = fields.setdefault("status", JobStatus.RUNNING)
    if status in TERMINAL:
        fields.setdefault("finished_at", timezone.now())
    fields = {"caller": "user:1", "caller_class": "user", "idem_key": "k", **fields}
    fields.setdefault("lease_expires_at", timezone.now() + timedelta(hours=1))
    job = BatchJob.objects.create(
        targets_total=targets, targets_done=done, targets_failed=failed, **fields
    )
    BatchTarget.objects.bulk_create(_target(job, idx, done, failed) for idx in range(targets))
    return job


def _target(job: BatchJob, idx: int, done: int, failed: int) -> BatchTarget:
    target = BatchTarget(job=job, idx=idx, url=f"https://example.com/{job.pk}/{idx}")
    if idx < failed:
        target.status, target.error, target.code = TargetState.FAILED, "no such page", "http_status"
    elif idx < done:
        target.status = TargetState.DONE
        meta = {"detected_type": "text/html", "content_type": None}
        target.result = {"content": f"content of {idx}", "meta": meta}
    if idx < done:
        target.started_at = target.finished_at = timezone.now()
    return target


def drained(fetch: Callable[[FetchContext, Target], Result], *urls: str) -> BatchJob:
    """A job that went through the runner."""
    runner = Runner(fetch)
    submission = runner.submit("user:1", "user", [Target(url) for url in urls])
    assert runner.drain(submission.id)
    return BatchJob.objects.get(pk=submission.id)


def listed(model: type[Any] = BatchJob) -> str:
    return reverse(f"admin:batch_{model._meta.model_name}_changelist")


def page_of(row: Any) -> str:
    return reverse(f"admin:batch_{row._meta.model_name}_change", args=[row.pk])


def shown(client: Client, path: str, **query: Any) -> str:
    """The HTML of a page that is there."""
    response = client.get(path, query)
    assert response.status_code == 200, (response.status_code, response.headers)
    return response.content.decode()


def keys(client: Client, model: type[Any] = BatchJob, **query: Any) -> list[Any]:
    """The keys of the rows on a list's page, in order."""
    response = client.get(listed(model), query)
    assert response.status_code == 200, (response.status_code, response.headers)
    return [row.pk for row in response.context["cl"].result_list]
