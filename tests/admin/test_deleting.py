"""Delete expired: what has ended and lapsed goes, and everything else stays."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import DELETION, LogEntry
from django.db.models import ProtectedError
from django.test import Client
from django.utils import timezone

from batch.models import BatchJob, BatchTarget, JobStatus
from batch.runner import Runner

from .conftest import listed, make_job, page_of, shown
from .test_actions import confirm, post

pytestmark = pytest.mark.usefixtures("caps")

HOUR = timedelta(hours=1)


def expired(**fields: Any) -> BatchJob:
    ago = timezone.now() - HOUR
    given = {"status": JobStatus.DONE, "done": 2, "finished_at": ago - HOUR}
    return make_job(**{**given, "lease_expires_at": ago, **fields})


def test_it_asks_first_and_says_what_would_go(root: Client) -> None:
    jobs = [expired(targets=3), expired(), make_job(done=2, status=JobStatus.DONE)]
    page = " ".join(post(root, "delete_expired", *jobs, index=0).content.decode().split())
    assert "3 jobs selected; 2 can be deleted now, with 5 targets and their results." in page
    assert page.count("left as it is") == 1
    assert BatchJob.objects.count() == 3


def test_it_says_how_many_went_and_why_the_others_stayed(root: Client) -> None:
    gone, gone_too = expired(), expired()
    kept = make_job(done=2, status=JobStatus.DONE)
    live = expired(status=JobStatus.RUNNING, finished_at=None)
    in_hand = expired(status=JobStatus.CANCELLED, claim_expires_at=timezone.now() + HOUR)
    said = confirm(root, "delete_expired", gone, gone_too, kept, live, in_hand)
    assert said[0] == "Deleted 2 jobs."
    assert set(said[1:]) == {
        "Left 1 job: its lease has not lapsed yet.",
        "Left 2 jobs: it has not ended yet, or its last target is in hand; cancel it or wait.",
    }
    assert set(BatchJob.objects.values_list("pk", flat=True)) == {kept.pk, live.pk, in_hand.pk}
    assert not BatchTarget.objects.filter(job_id__in=[gone.pk, gone_too.pk]).exists()
    assert BatchTarget.objects.filter(job=kept).count() == 2


def test_what_went_stands_in_the_history(root: Client) -> None:
    job = expired()
    confirm(root, "delete_expired", job)
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.action_flag) == (str(job.pk), DELETION)


def test_a_job_that_something_else_refers_to_stays(
    root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def protected(self: Runner, job_id: str) -> None:
        raise ProtectedError("a receipt", set())

    monkeypatch.setattr(Runner, "delete", protected)
    said = confirm(root, "delete_expired", expired())
    assert said == ["Left 1 job: something else on this site refers to it."]


def test_a_job_that_is_purged_meanwhile_is_told(
    root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [expired(), expired()]
    known = Runner.job

    def job(self: Runner, job_id: str) -> Any:
        BatchJob.objects.filter(pk=job_id).delete()
        return known(self, job_id)

    monkeypatch.setattr(Runner, "job", job)
    said = confirm(root, "delete_expired", *jobs)
    assert said == ["Left 2 jobs: it is no longer there."]


def test_it_needs_the_permission_to_delete(staff: Callable[..., Client]) -> None:
    client = staff("view_batchjob", "change_batchjob", "add_batchjob")
    job = expired()
    assert "delete_expired" not in shown(client, listed())
    assert post(client, "delete_expired", job, index=0).status_code == 403
    assert post(client, "delete_expired", job, post="yes").status_code == 403
    assert BatchJob.objects.exists()


def test_the_permission_to_delete_brings_this_action_and_no_other(
    staff: Callable[..., Client],
) -> None:
    client = staff("view_batchjob", "delete_batchjob")
    job = expired()
    page = shown(client, listed())
    assert 'value="delete_expired"' in page
    for other in ("delete_selected", "cancel_jobs", "retry_jobs"):
        assert f'value="{other}"' not in page
        assert post(client, other, job, post="yes").status_code == 403
    assert client.post(page_of(job).replace("change", "delete"), {"post": "1"}).status_code == 403
    assert confirm(client, "delete_expired", job) == ["Deleted 1 job."]


def test_the_page_of_an_expired_job_offers_it(root: Client) -> None:
    assert "Delete expired job" in shown(root, page_of(expired()))
    assert "Delete expired job" not in shown(root, page_of(make_job(status=JobStatus.CANCELLED)))
    assert "Delete expired job" not in shown(root, page_of(make_job()))
