"""Cancel and retry: they ask, act through the runner, and say what became of each job."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from batch.models import BatchJob, BatchTarget, JobStatus, TargetState

from .conftest import listed, make_job, page_of, shown

pytestmark = pytest.mark.usefixtures("caps")


def post(client: Client, action: str, *jobs: BatchJob, query: str = "", **more: Any) -> Any:
    form = {"action": action, "_selected_action": [job.pk for job in jobs], **more}
    return client.post(listed() + query, form, follow=True)


def confirm(client: Client, action: str, *jobs: BatchJob, query: str = "") -> list[str]:
    """Go through the page that asks, as its form does; the messages."""
    asked = post(client, action, *jobs, query=query, index=0)
    page = asked.content.decode()
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    form: dict[str, list[str]] = {}
    for name, value in hidden:
        if name != "csrfmiddlewaretoken":
            form.setdefault(name, []).append(value)
    assert form["action"] == [action]
    done = client.post(listed() + query, form, follow=True)
    return [str(message) for message in done.context["messages"]]


def failed_job(**fields: Any) -> BatchJob:
    return make_job(**{"targets": 2, "done": 2, "failed": 1, "status": JobStatus.PARTIAL, **fields})


def statuses() -> list[str]:
    return list(BatchJob.objects.order_by("created_at").values_list("status", flat=True))


def test_cancel_asks_first(root: Client) -> None:
    job = make_job(targets=3)
    page = post(root, "cancel_jobs", job, index=0).content.decode()
    assert "Cancel jobs?" in page
    assert "1 job selected; 1 can be cancelled now" in page
    assert str(job.pk) in page
    assert statuses() == ["running"]


def test_cancel_ends_live_jobs_and_says_how_many_it_left(root: Client) -> None:
    live = make_job()
    ended = make_job(done=2, status=JobStatus.DONE)
    said = confirm(root, "cancel_jobs", live, ended)
    assert [text.split(":")[0] for text in said] == ["Cancelled 1 job", "Left 1 job"]
    assert page_of(live) in said[0]
    assert "already ended" in said[1]
    live.refresh_from_db()
    assert live.status == JobStatus.CANCELLED
    assert live.finished_at is not None


def test_cancel_reaches_a_job_that_left_the_lists_filter(root: Client) -> None:
    job = make_job()
    BatchJob.objects.filter(pk=job.pk).update(status=JobStatus.QUEUED)
    said = confirm(root, "cancel_jobs", job, query="?status=queued")
    assert said[0].startswith("Cancelled 1 job")


def test_a_job_that_ended_while_the_page_asked_is_left(root: Client) -> None:
    job = make_job()
    post(root, "cancel_jobs", job, query="?status=running", index=0)
    BatchJob.objects.update(status=JobStatus.DONE, finished_at=timezone.now())
    done = post(root, "cancel_jobs", job, query="?status=running", post="yes")
    assert [str(each) for each in done.context["messages"]] == ["Left 1 job: already ended."]


def test_a_job_that_is_gone_is_told(root: Client) -> None:
    job = make_job()
    BatchJob.objects.all().delete()
    done = post(root, "cancel_jobs", job, post="yes")
    assert [str(each) for each in done.context["messages"]] == [
        "Left 1 job: it is no longer there."
    ]


def test_retry_makes_a_new_job_of_what_was_not_done(root: Client) -> None:
    old = failed_job(caller="user:5", caller_class="gold")
    said = confirm(root, "retry_jobs", old)
    new = BatchJob.objects.exclude(pk=old.pk).get()
    assert said == [f'Retried 1 job: <a href="{page_of(new)}">{new.pk}</a>.']
    assert (new.caller, new.caller_class, new.targets_total) == ("user:5", "gold", 1)
    failed = BatchTarget.objects.get(job=old, status=TargetState.FAILED)
    assert BatchTarget.objects.get(job=new).url == failed.url
    assert statuses()[0] == JobStatus.PARTIAL


def test_retry_asks_with_the_number_of_targets(root: Client) -> None:
    jobs = [failed_job(), make_job(targets=5, status=JobStatus.CANCELLED), make_job()]
    page = post(root, "retry_jobs", *jobs, index=0).content.decode()
    assert "3 jobs selected; 2 can be retried now" in " ".join(page.split())
    assert "with 6 targets not done" in " ".join(page.split())
    assert BatchJob.objects.count() == 3


def test_retry_says_why_it_left_each(root: Client, settings: Any) -> None:
    settings.BATCH = {"JOBS_PER_CALLER": 1, "JOBS_TOTAL": 4, "TARGETS_PER_JOB": 3}
    live = make_job(caller="live")
    make_job(caller="busy")
    now = timezone.now()
    jobs = [
        live,
        failed_job(caller="busy"),
        make_job(caller="done", done=2, status=JobStatus.DONE),
        make_job(caller="many", targets=4, status=JobStatus.CANCELLED),
        failed_job(caller="first", created_at=now - timedelta(hours=2)),
        failed_job(caller="second", created_at=now - timedelta(hours=1)),
        failed_job(caller="third"),
    ]
    said = confirm(root, "retry_jobs", *jobs)
    assert said[0].startswith("Retried 2 jobs: ")
    assert set(said[1:]) == {
        "Left 1 job: it has not ended yet, or its last target is in hand; cancel it or wait.",
        "Left 1 job: the caller has as many live jobs as it may (1); try again later.",
        "Left 1 job: there is nothing to retry, every target is done.",
        "Left 1 job: it has more targets than a job may have (3).",
        "Left 1 job: as many jobs are live as may be (4); try again later.",
    }
    retried = BatchJob.objects.filter(caller__in=["first", "second"], status=JobStatus.RUNNING)
    assert retried.count() == 2


def test_the_only_refusal_is_told_in_the_runners_words(root: Client) -> None:
    job = make_job(done=2, status=JobStatus.DONE)
    said = post(root, "retry_jobs", job, post="yes").context["messages"]
    assert [str(each) for each in said] == [
        f"Left 1 job: nothing to retry: every target of job {job.pk} is done."
    ]


def test_where_nothing_fits_there_is_nothing_to_confirm(root: Client) -> None:
    job = make_job(done=2, status=JobStatus.DONE)
    page = post(root, "cancel_jobs", job, index=0).content.decode()
    assert "none of them can be cancelled now" in page
    assert "Yes, cancel" not in page


def test_what_was_done_stands_in_the_jobs_history(root: Client) -> None:
    job = make_job()
    confirm(root, "cancel_jobs", job)
    entry = LogEntry.objects.get()
    assert entry.object_id == str(job.pk)
    assert entry.change_message == "Cancelled."
    assert "Cancelled." in shown(root, page_of(job).replace("change", "history"))


@pytest.mark.parametrize("action", ["cancel_jobs", "retry_jobs"])
def test_staff_who_may_only_look_change_nothing(staff: Callable[..., Client], action: str) -> None:
    client = staff("view_batchjob")
    live, ended = make_job(), failed_job()
    page = shown(client, listed())
    assert action not in page
    for job in (live, ended):
        assert action not in shown(client, page_of(job))
        assert post(client, action, job, index=0).status_code == 403
        assert post(client, action, job, post="yes").status_code == 403
    assert sorted(statuses()) == ["partial", "running"]


def test_staff_who_may_change_jobs_have_the_actions(staff: Callable[..., Client]) -> None:
    client = staff("view_batchjob", "change_batchjob")
    job = make_job()
    assert confirm(client, "cancel_jobs", job)[0].startswith("Cancelled 1 job")


def test_a_jobs_page_offers_the_action_that_fits(root: Client) -> None:
    assert 'value="cancel_jobs"' in shown(root, page_of(make_job()))
    assert 'value="retry_jobs"' not in shown(root, page_of(make_job()))
    assert 'value="retry_jobs"' in shown(root, page_of(failed_job()))
    assert 'value="cancel_jobs"' not in shown(root, page_of(failed_job()))


@pytest.mark.parametrize("action", ["cancel_jobs", "retry_jobs"])
def test_a_visit_changes_nothing(root: Client, action: str) -> None:
    job = make_job() if action == "cancel_jobs" else failed_job()
    query = {"action": action, "_selected_action": job.pk, "post": "yes", "index": 0}
    answer = root.get(listed(), query)
    assert answer.status_code == 400  # none of these is a filter
    assert BatchJob.objects.count() == 1
    assert statuses() == [job.status]


def test_a_post_without_the_token_is_refused(root: Client) -> None:
    job = make_job()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = root.cookies
    assert post(strict, "cancel_jobs", job, post="yes").status_code == 403
    assert statuses() == ["running"]


def test_all_jobs_across_pages_can_be_taken(root: Client) -> None:
    for _ in range(101):
        make_job(targets=0)
    first = BatchJob.objects.first()
    assert first is not None
    asked = post(root, "cancel_jobs", first, index=0, select_across=1)
    page = asked.content.decode()
    assert "101 jobs selected" in page
    assert page.count('name="_selected_action"') == 101
    assert "and 51 more" in page


def test_more_jobs_than_can_be_taken_at_once_are_refused(
    root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("batch.admin.actions.MOST_AT_ONCE", 3)
    jobs = [make_job(targets=0) for _ in range(4)]
    answers = (
        post(root, "cancel_jobs", jobs[0], index=0, select_across=1),
        post(root, "cancel_jobs", *jobs, post="yes"),
    )
    for answer in answers:
        (message,) = (str(each) for each in answer.context["messages"])
        assert message.startswith("Nothing was changed: over 3 jobs are selected")
        assert "Narrow the list" in message
    assert set(statuses()) == {"running"}


def test_a_confirmation_never_reaches_across_pages(root: Client) -> None:
    chosen, other = make_job(), make_job()
    post(root, "cancel_jobs", chosen, post="yes", select_across=1)
    other.refresh_from_db()
    assert other.status == JobStatus.RUNNING


def test_a_selection_that_cannot_be_is_a_bad_request(root: Client) -> None:
    form = {"action": "cancel_jobs", "_selected_action": "nonsense"}
    assert root.post(listed(), {**form, "index": 0}).status_code == 400
    assert root.post(listed(), {**form, "post": "yes"}).status_code == 400


def test_an_action_that_is_not_there_is_refused(root: Client) -> None:
    job = make_job()
    assert post(root, "drop_jobs", job, index=0).status_code == 403
