"""Filters can be called what Django would call them."""

import pytest
from django.test import Client

from batch.runner import Runner
from batch.types import Target

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        ("status__exact=running", True),
        ("status__exact=done", False),
        ("caller_class__exact=user", True),
        ("caller_class=staff", False),
    ],
)
def test_a_filter_by_its_usual_name_is_taken(query: str, seen: bool, admin_client: Client) -> None:
    job_id = Runner().submit("ann", "user", [Target("https://e.com/")]).id
    page = admin_client.get(f"/admin/batch/batchjob/?{query}")
    assert page.status_code == 200
    assert (job_id in page.content.decode()) is seen


def test_the_targets_of_a_job_are_found_by_its_usual_name(admin_client: Client) -> None:
    job_id = Runner().submit("ann", "user", [Target("https://e.com/page")]).id
    page = admin_client.get(f"/admin/batch/batchtarget/?job__id__exact={job_id}")
    assert page.status_code == 200
    assert "https://e.com/page" in page.content.decode()
