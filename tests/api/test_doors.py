"""Every verb of every address, tried by everybody."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import URLPattern, reverse
from rest_framework.test import APIClient

from batch.api.urls import urlpatterns
from batch.models import BatchJob
from tests.api.conftest import URL, client_of
from tests.api.rows import job_of, targets_of

# Who may do what is asked of no database in its own way.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]

VERBS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
DOORS = {
    pattern.name: pattern.callback.cls  # type: ignore[attr-defined]
    for pattern in urlpatterns
    if isinstance(pattern, URLPattern) and pattern.name
}
# Whoever is known may do these, with what is its own.
OPEN = {("job-list", "GET"): 200, ("job-list", "POST"): 202, ("schema", "GET"): 200}
OPEN["docs", "GET"] = 200
# Anybody may do these.
PUBLIC = {("health", "GET"): 200, ("alive", "GET"): 200}
READ = ["job-detail", "target-list", "target-detail"]
READ += ["results-jsonl", "results-csv", "results-zip"]
# These reach a job: what a member of staff needs for another's, and what comes of it.
GUARDED = {
    **{(name, "GET"): ("view", 200) for name in READ},
    ("job-detail", "DELETE"): ("delete", 204),
    ("job-cancel", "POST"): ("change", 200),
    ("job-retry", "POST"): ("change", 202),
}
PERMISSIONS = ("add", "view", "change", "delete")
STAFF = {"staff": (), **{f"staff with {name}": (name,) for name in PERMISSIONS}}
STAFF["staff with all"] = PERMISSIONS
WHO = ("nobody", "the owner", "another", *STAFF)


def client_for(who: str, owner: User) -> APIClient:
    if who == "nobody":
        return APIClient()
    if who == "the owner":
        return client_of(owner)
    user = User.objects.create_user("other", is_staff=who in STAFF)
    names = [f"{action}_batchjob" for action in STAFF.get(who, ())]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    return client_of(user)


def expected(who: str, name: str, verb: str) -> int:
    public = (name, "GET") in PUBLIC
    if who == "nobody" and not public:
        return 401
    if verb == "OPTIONS":
        return 200
    asked = (name, "GET" if verb == "HEAD" else verb)
    if asked in OPEN | PUBLIC:
        return (OPEN | PUBLIC)[asked]
    if asked not in GUARDED:
        return 405
    needed, status = GUARDED[asked]
    return status if who == "the owner" or needed in STAFF.get(who, ()) else 404


def address(name: str, job: BatchJob) -> str:
    parts = {"job_id": str(job.id), "idx": "0"}
    wanted = {"target-detail": ("job_id", "idx")}.get(name, ("job_id",))
    if name in ("job-list", "schema", "docs", "health", "alive"):
        wanted = ()
    return reverse(f"batch:{name}", kwargs={part: parts[part] for part in wanted})


def test_the_doors_are_all_there_are() -> None:
    doors = OPEN | PUBLIC | GUARDED
    assert {name for name, _ in doors} == set(DOORS)
    for name, verb in doors:
        assert hasattr(DOORS[name], verb.lower())


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("who", WHO)
def test_each_verb_is_answered_by_who_asks(who: str, name: str, ann: User, settings: Any) -> None:
    settings.BATCH = {"JOBS_PER_CALLER": 10}
    client = client_for(who, ann)
    for verb in VERBS:
        BatchJob.objects.all().delete()
        job = job_of(ann, "running" if name == "job-cancel" else "failed")
        targets_of(job, "failed")
        before = list(BatchJob.objects.values_list("id", "status"))
        answer = client.generic(
            verb, address(name, job), f'{{"targets": ["{URL}"]}}', "application/json"
        )
        assert answer.status_code == expected(who, name, verb), verb
        if answer.status_code >= 400:
            assert answer.headers["Content-Type"] == "application/problem+json", verb
        if answer.status_code >= 400 or verb in ("GET", "HEAD", "OPTIONS"):
            assert list(BatchJob.objects.values_list("id", "status")) == before, verb
