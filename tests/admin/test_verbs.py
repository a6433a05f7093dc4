"""Every verb of every page, tried by everybody: what is closed stays closed, and nothing else
than what somebody is permitted to do is ever done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from batch.models import BatchJob, BatchTarget, BatchWorker

from .conftest import make_job

# Who may do what is asked of no database in its own way.
pytestmark = pytest.mark.only_on("sqlite")

VERBS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
MODELS = (BatchJob, BatchTarget, BatchWorker)
READ = ("changelist", "change", "history")
JOBS = {("batchjob", page) for page in (*READ, "live")}
TARGETS = {("batchtarget", page) for page in READ}
WORKERS = {("batchworker", page) for page in READ}
OPENS = {
    "view_batchjob": JOBS | TARGETS,
    "add_batchjob": {("batchjob", "add")},
    "change_batchjob": JOBS,
    "delete_batchjob": set(),
    "view_batchtarget": TARGETS,
    "add_batchtarget": set(),
    "change_batchtarget": TARGETS,
    "delete_batchtarget": set(),
    "view_batchworker": WORKERS,
    "add_batchworker": set(),
    "change_batchworker": WORKERS,
    "delete_batchworker": set(),
}
DOES = {
    "add_batchjob": {("batchjob", "add")},
    "change_batchjob": {("batchjob", "changelist")},
}

Door = tuple[str, str]


@pytest.fixture
def doors(db: None, caps: None) -> dict[Door, str]:
    """By model and page; of a job that can be cancelled."""
    make_job(targets=1, caller="first")
    BatchWorker.objects.create(name="w")
    found = {}
    for model in MODELS:
        known = admin.site.get_model_admin(model)
        label = model._meta.label_lower.replace(".", "_")
        row = model.objects.get()
        for pattern in known.get_urls():
            page = pattern.name and pattern.name.removeprefix(f"{label}_")
            if page:
                of_a_row = "object_id" in str(pattern.pattern)
                found[model._meta.model_name, page] = reverse(
                    f"admin:{label}_{page}", args=[row.pk] if of_a_row else []
                )
    return found


def harm(page: str) -> dict[str, Any]:
    """A form that does something on this page, for who may."""
    if page == "changelist":
        job = BatchJob.objects.get(caller="first")
        return {"action": "cancel_jobs", "_selected_action": job.pk, "post": "yes"}
    return {"urls": "https://new.example/", "post": "yes", "name": "new", "status": "done"}


def state() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in MODELS]


def done_by(client: Client, verb: str, path: str, page: str) -> tuple[int, bool]:
    """The answer's status, and whether anything is otherwise than before."""
    before = state()
    data = harm(page)
    if verb == "POST":
        status = client.post(path, data).status_code
    else:
        status = client.generic(verb, path).status_code
    return status, state() != before


def test_the_pages_are_all_there_are(doors: dict[Door, str]) -> None:
    pages = {*READ, "add", "delete"}
    assert {page for model, page in doors if model == "batchjob"} == pages | {"live"}
    assert {page for model, page in doors if model == "batchworker"} == pages


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("known", [False, True], ids=["stranger", "no staff"])
def test_whoever_is_no_staff_is_sent_to_the_login(
    client: Client, doors: dict[Door, str], known: bool, verb: str
) -> None:
    if known:
        client.force_login(get_user_model().objects.create_user("ann"))
    for (_, page), path in doors.items():
        assert done_by(client, verb, path, page) == (302, False), path


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("permission", ["", *OPENS])
def test_staff_do_what_their_permission_is_for_and_no_more(
    staff: Callable[..., Client], doors: dict[Door, str], permission: str, verb: str
) -> None:
    client = staff(*filter(None, [permission]))
    for door, path in doors.items():
        permitted = verb == "POST" and door in DOES.get(permission, set())
        status, changed = done_by(client, verb, path, door[1])
        assert changed is permitted, path
        if door[1] == "live" and verb != "GET":
            assert status == 405
        elif door not in OPENS.get(permission, set()):
            assert status == 403, path
        elif verb != "POST":
            assert status == 200, path
