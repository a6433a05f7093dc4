"""Callers of the API, each with a client of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from rest_framework.test import APIClient

from sift_batch.tokens.models import Token

JOBS = "/api/jobs/"
URL = "https://example.com/"


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.force_login(user)
    return client


def token_of(user: User) -> str:
    """A new one, as `Authorization: Bearer` takes it."""
    _, secret = Token.objects.create(user)
    return secret


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def as_ann(ann: User) -> APIClient:
    return client_of(ann)


@pytest.fixture
def as_bob(db: None) -> APIClient:
    return client_of(User.objects.create_user("bob"))


@pytest.fixture
def as_staff(db: None) -> Callable[..., APIClient]:
    """A client of a member of staff with these permissions on jobs, such as `view`."""

    def client(*actions: str) -> APIClient:
        user = User.objects.create_user("staff", is_staff=True)
        names = [f"{action}_batchjob" for action in actions]
        user.user_permissions.set(Permission.objects.filter(codename__in=names))
        return client_of(user)

    return client


@pytest.fixture
def submit() -> Callable[..., Any]:
    """Submits URLs and gives back the job as the API showed it."""

    def post(client: APIClient, *targets: Any, **body: Any) -> dict[str, Any]:
        answer = client.post(JOBS, {"targets": targets or [URL], **body}, format="json")
        assert answer.status_code in (200, 202), answer.content
        return answer.json()

    return post
