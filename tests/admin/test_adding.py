"""Add job: a form in front of the runner's submit."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from batch import conf
from batch.models import BatchJob
from batch.types import Problem
from tests.connection import connection

from .adding import ADD, file, refused, submitted
from .conftest import listed, make_job, page_of, shown

pytestmark = pytest.mark.usefixtures("caps")


def test_urls_a_line_become_a_job_of_who_is_logged_in(root: Client) -> None:
    user = get_user_model().objects.get()
    assert submitted(root, urls="https://a/\r\n\r\n# a note\r\n https://b/ ") == [
        ("https://a/", {}),
        ("https://b/", {}),
    ]
    job = BatchJob.objects.get()
    assert (job.caller, job.caller_class) == (f"user:{user.pk}", "staff")
    assert (job.status, job.targets_total) == ("running", 2)


def test_the_job_is_named_and_its_making_stands_in_the_history(root: Client) -> None:
    page = root.post(ADD, {"urls": "https://a/"}, follow=True).content.decode()
    job = BatchJob.objects.get()
    assert f'Submitted 1 target as job <a href="{page_of(job)}">{job.pk}</a>.' in page
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.is_addition()) == (str(job.pk), True)


def test_the_same_targets_again_lead_to_the_job_that_is_kept(root: Client) -> None:
    root.post(ADD, {"urls": "https://a/"})
    again = root.post(ADD, {"urls": "https://a/"}, follow=True)
    job = BatchJob.objects.get()
    assert again.redirect_chain[0][0] == page_of(job)
    assert "No job was added, since one of the same targets is still kept" in again.content.decode()
    assert f'<a href="{page_of(job)}">{job.pk}</a>' in again.content.decode()
    assert LogEntry.objects.count() == 1


def test_a_busy_caller_is_led_to_the_live_job(root: Client, settings: Any) -> None:
    settings.BATCH = {"JOBS_PER_CALLER": 1}
    user = get_user_model().objects.get()
    live = make_job(caller=f"user:{user.pk}")
    answer = root.post(ADD, {"urls": "https://a/"})
    page = answer.content.decode()
    assert f'<a href="{page_of(live)}">see this job</a>' in page
    assert f"busy: job {live.pk} of this caller is still live" in page
    assert "https://a/</textarea>" in page
    assert BatchJob.objects.count() == 1


def test_a_busy_caller_who_may_not_look_gets_no_link(
    staff: Callable[..., Client], settings: Any
) -> None:
    settings.BATCH = {"JOBS_PER_CALLER": 1}
    client = staff("add_batchjob")
    live = make_job(caller=f"user:{get_user_model().objects.get().pk}")
    page = client.post(ADD, {"urls": "https://a/"}).content.decode()
    assert f"busy: job {live.pk}" in page
    assert page_of(live) not in page


def test_a_busy_host_is_told(root: Client, settings: Any) -> None:
    settings.BATCH = {"JOBS_TOTAL": 1}
    make_job(caller="somebody")
    (error,) = refused(root, urls="https://a/")["__all__"]
    assert error.startswith("jobs busy: 1 jobs are live in all")


def test_the_caps_of_staff_hold(root: Client, settings: Any) -> None:
    settings.BATCH = {"TARGETS_PER_JOB": 1, "CLASSES": {"staff": {"TARGETS_PER_JOB": 3}}}
    assert len(submitted(root, urls="https://a/\nhttps://b/\nhttps://c/")) == 3


def test_the_setting_caller_names_the_caller(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "CALLER": f"{__name__}.by_name"}
    submitted(root, urls="https://a/")
    job = BatchJob.objects.get()
    assert (job.caller, job.caller_class) == ("root, who gave no token", "gold")


def by_name(request: Any) -> tuple[str, str]:
    token = "no token" if request.auth is None else "a token"
    return f"{request.user.get_username()}, who gave {token}", "gold"


def test_a_body_beyond_the_limit_is_not_read(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "BODY_MAX_BYTES": 1000}
    answer = root.post(ADD, {"file": file("https://a/\n" * 200)})
    assert answer.status_code == 413
    page = answer.content.decode()
    assert re.search(r"Nothing was taken: 2,\d\d\d bytes were sent, and at most 1,000 can be", page)
    assert 'name="urls"' in page
    assert not BatchJob.objects.exists()


def test_a_browser_that_sends_too_much_is_heard_out(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "BODY_MAX_BYTES": 1000}
    answer = root.post(ADD, {"file": file("x" * 1_000_000)})
    assert answer.status_code == 413
    assert answer.wsgi_request.read(1) == b""


def test_text_longer_than_the_site_takes_is_told(root: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = root.post(ADD, {"urls": "https://a/\n" * 200})
    assert answer.status_code == 413
    assert "Give it as a file" in answer.content.decode()


def test_the_form_says_how_much_can_be_sent(root: Client) -> None:
    assert f"{conf.settings().body_max_bytes:,} bytes" in shown(root, ADD)


def test_a_post_without_the_token_is_refused(root: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = root.cookies
    assert strict.post(ADD, {"urls": "https://a/"}).status_code == 403
    assert not BatchJob.objects.exists()
    page = strict.get(ADD).content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found
    form = {"urls": "https://a/", "csrfmiddlewaretoken": found[1]}
    assert strict.post(ADD, form).status_code == 302


def test_who_may_only_add_sees_the_form_again(staff: Callable[..., Client]) -> None:
    answer = staff("add_batchjob").post(ADD, {"urls": "https://a/"}, follow=True)
    job = BatchJob.objects.get()
    page = answer.content.decode()
    assert answer.redirect_chain == [(ADD, 302)]
    assert f"Submitted 1 target as job {job.pk}." in page
    assert listed() + '"' not in page


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_around_the_submit(
    root: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    settings.BATCH = {**settings.BATCH, "VALIDATE": f"{__name__}.watched"}
    monkeypatch.setattr(
        f"{__name__}.look", lambda: seen.append(connection.in_atomic_block), raising=False
    )
    root.post(ADD, {"urls": "https://a/"})
    assert BatchJob.objects.count() == 1
    assert set(seen) == {False}


def look() -> None:
    pass


def watched(targets: Any) -> list[Problem]:
    look()
    return []


def test_a_lease_that_lapsed_makes_room_for_the_same_targets(root: Client) -> None:
    root.post(ADD, {"urls": "https://a/"})
    BatchJob.objects.update(
        status="done", finished_at=timezone.now(), lease_expires_at=timezone.now() - timedelta(1)
    )
    root.post(ADD, {"urls": "https://a/"})
    assert BatchJob.objects.count() == 2
