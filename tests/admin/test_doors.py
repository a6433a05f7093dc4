"""Who may open which page."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from batch.models import BatchJob, BatchTarget, BatchWorker, JobStatus

from .conftest import listed, make_job, page_of

JOBS = {"list", "job", "history", "live"}
TARGETS = {"targets", "target"}
WORKERS = {"workers", "worker"}
ALL = JOBS | TARGETS | WORKERS | {"add"}


@pytest.fixture
def doors(db: None) -> dict[str, str]:
    job = make_job(targets=1, done=1, status=JobStatus.DONE)
    worker = BatchWorker.objects.create(name="w")
    return {
        "list": listed(),
        "job": page_of(job),
        "history": page_of(job).replace("change", "history"),
        "live": listed() + "live/",
        "add": listed() + "add/",
        "targets": listed(BatchTarget),
        "target": page_of(BatchTarget.objects.get()),
        "workers": listed(BatchWorker),
        "worker": page_of(worker),
    }


def answers(client: Client, doors: dict[str, str]) -> dict[str, int]:
    return {name: client.get(path).status_code for name, path in doors.items()}


def assert_opens(client: Client, doors: dict[str, str], open_to: set[str]) -> None:
    wanted = {name: 200 if name in open_to else 403 for name in doors}
    assert answers(client, doors) == wanted


def test_a_stranger_is_sent_to_the_login(client: Client, doors: dict[str, str]) -> None:
    assert set(answers(client, doors).values()) == {302}
    for path in (doors["add"], doors["list"]):
        answer = client.post(path, {"urls": "https://a/", "action": "delete_expired"})
        assert answer.status_code in (302, 403)
    assert BatchJob.objects.count() == 1


def test_a_user_who_is_no_staff_is_sent_to_the_login(client: Client, doors: dict[str, str]) -> None:
    client.force_login(get_user_model().objects.create_user("ann"))
    assert set(answers(client, doors).values()) == {302}
    client.post(doors["add"], {"urls": "https://a/"})
    assert BatchJob.objects.count() == 1


def test_staff_without_permissions_open_nothing(
    staff: Callable[..., Client], doors: dict[str, str]
) -> None:
    client = staff()
    assert_opens(client, doors, set())
    assert client.post(doors["add"], {"urls": "https://a/"}).status_code == 403
    assert BatchJob.objects.count() == 1


@pytest.mark.parametrize(
    ("permission", "open_to"),
    [
        ("view_batchjob", JOBS | TARGETS),
        ("add_batchjob", {"add"}),
        ("change_batchjob", JOBS),
        ("delete_batchjob", set()),
        ("view_batchtarget", TARGETS),
        ("view_batchworker", WORKERS),
        ("add_batchtarget", set()),
        ("add_batchworker", set()),
    ],
)
def test_each_permission_opens_its_own_pages(
    staff: Callable[..., Client], doors: dict[str, str], permission: str, open_to: set[str]
) -> None:
    client = staff(permission)
    assert_opens(client, doors, open_to)
    added = client.post(doors["add"], {"urls": "https://a/"})
    assert added.status_code == (302 if "add" in open_to else 403)


def test_a_superuser_opens_all(root: Client, doors: dict[str, str]) -> None:
    assert_opens(root, doors, ALL)


@pytest.mark.parametrize(
    ("permissions", "button"),
    [(["view_batchjob"], False), (["view_batchjob", "add_batchjob"], True)],
)
def test_the_button_to_add_a_job_needs_the_permission(
    staff: Callable[..., Client], permissions: list[str], button: bool
) -> None:
    page = staff(*permissions).get(listed()).content.decode()
    assert (f'href="{listed()}add/" class="addlink"' in page) is button
    assert ("Add job" in page) is button


@pytest.mark.parametrize("model", [BatchTarget, BatchWorker])
def test_targets_and_workers_are_never_added(root: Client, model: Any) -> None:
    assert root.get(listed(model) + "add/").status_code == 403
    assert "addlink" not in root.get(listed(model)).content.decode().split("content-main")[1]
