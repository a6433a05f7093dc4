"""Tokens of `sift_batch`: made and revoked in the admin, shown once, stored as hashes."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from sift_batch.tokens.models import Token

pytestmark = pytest.mark.django_db

TOKENS = "/admin/tokens/token/"
ADD = TOKENS + "add/"
SECRET = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def staff() -> Callable[..., Client]:
    """A client of a member of staff with these permissions on tokens, such as `add`."""

    def client(*actions: str) -> Client:
        user = User.objects.create_user("staff", is_staff=True)
        names = [f"{action}_token" for action in actions]
        user.user_permissions.set(Permission.objects.filter(codename__in=names))
        browser = Client()
        browser.force_login(user)
        return browser

    return client


@pytest.fixture
def root() -> Client:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    return browser


def made(browser: Client, user: User, **fields: str) -> str:
    """The token that the admin shows when it has made one for `user`."""
    answer = browser.post(ADD, {"user": user.username, **fields})
    assert answer.status_code == 200
    (secret,) = SECRET.findall(answer.content.decode())
    return secret


def jobs(secret: str) -> Any:
    return Client().get("/api/jobs/", headers={"authorization": f"Bearer {secret}"})


def assert_refused(secret: str) -> None:
    answer = jobs(secret)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_authenticated"


def test_a_token_made_in_the_admin_opens_the_api_to_its_user(root: Client, ann: User) -> None:
    secret = made(root, ann, name="laptop")
    assert jobs(secret).status_code == 200
    assert Token.objects.get().user == ann


def test_a_token_is_shown_once_and_no_page_shows_it_again(root: Client, ann: User) -> None:
    secret = made(root, ann, name="laptop")
    token = Token.objects.get()
    pages = [
        root.get(path).content.decode()
        for path in (
            TOKENS,
            *(f"{TOKENS}{token.pk}/{page}/" for page in ("change", "history", "delete")),
            "/admin/",
            ADD,
        )
    ]
    for page in pages:
        assert secret not in page
        assert token.digest not in page
    for shown in (secret[:8], "laptop", "ann"):
        assert shown in pages[0]


def test_the_page_with_the_token_is_kept_by_no_browser(root: Client, ann: User) -> None:
    answer = root.post(ADD, {"user": ann.username})
    assert "no-store" in answer.headers["Cache-Control"]
    assert not SECRET.search(str(answer.cookies))


def test_a_token_is_neither_stored_nor_logged(
    root: Client, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = made(root, ann, name="laptop")
    jobs(secret)
    jobs(secret + "0")
    rows = [*Token.objects.all(), *LogEntry.objects.all()]
    assert len(rows) == 2
    for row in rows:
        assert secret not in str(model_to_dict(row) | vars(row))
    assert not any(secret in str(session.get_decoded()) for session in Session.objects.all())
    assert secret not in caplog.text


def test_a_user_may_have_several_tokens_and_deleting_one_revokes_it_alone(
    root: Client, ann: User
) -> None:
    first, second = made(root, ann), made(root, ann)
    row = Token.objects.get(token_key=first[:15])
    root.post(f"{TOKENS}{row.pk}/delete/", {"post": "yes"})
    assert_refused(first)
    assert jobs(second).status_code == 200


def test_a_token_lasts_for_ever_unless_an_end_was_chosen(root: Client, ann: User) -> None:
    made(root, ann)
    assert Token.objects.get().expiry is None


def test_a_token_that_expired_is_refused(root: Client, ann: User) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    secret = made(root, ann, expiry=f"{tomorrow:%Y-%m-%d}T12:00")
    assert jobs(secret).status_code == 200
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert_refused(secret)


def test_an_end_in_the_past_is_a_fault_of_the_form(root: Client, ann: User) -> None:
    fields = {"user": ann.username, "expiry": "2020-01-31T12:00"}
    answer = root.post(ADD, fields)
    assert "This moment has passed already." in answer.content.decode()
    assert not Token.objects.exists()


def test_the_token_of_an_inactive_user_is_refused(root: Client, ann: User) -> None:
    secret = made(root, ann)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert_refused(secret)


@pytest.mark.parametrize("secret", ["", "wrong", "0" * 64, "a b", "\0" * 20, "\udcff" * 20, "é"])
def test_what_is_no_token_is_refused(secret: str) -> None:
    sent = f"Bearer {secret}".encode("utf-8", "surrogateescape").decode("latin-1")
    answer = Client().get("/api/jobs/", HTTP_AUTHORIZATION=sent)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_change_of_the_token_by_one_character_is_refused(root: Client, ann: User) -> None:
    secret = made(root, ann)
    assert_refused(secret[:-1] + ("0" if secret[-1] != "0" else "1"))
    assert_refused(secret.upper())


@pytest.mark.parametrize(
    ("action", "opens"),
    [
        ("view", {"list", "token", "history"}),
        ("add", {"add"}),
        ("delete", {"delete"}),
        ("none", set()),
    ],
)
def test_each_permission_opens_its_own_pages(
    staff: Callable[..., Client], ann: User, action: str, opens: set[str]
) -> None:
    token, _ = Token.objects.create(ann)
    pages = {
        "list": TOKENS,
        "add": ADD,
        **{
            name: f"{TOKENS}{token.pk}/{page}/"
            for name, page in (("token", "change"), ("history", "history"), ("delete", "delete"))
        },
    }
    browser = staff(action)
    answers = {name: browser.get(path).status_code for name, path in pages.items()}
    assert answers == {name: 200 if name in opens else 403 for name in pages}
    for path in pages.values():
        browser.post(path, {"user": ann.username, "name": "new", "post": "yes"})
    left = {"add": ["", "new"], "delete": []}.get(action, [""])
    assert sorted(Token.objects.values_list("name", flat=True)) == left


def test_a_token_cannot_be_handed_to_another_user(root: Client, ann: User) -> None:
    made(root, ann)
    token = Token.objects.get()
    other = User.objects.create_user("bob")
    answer = root.post(f"{TOKENS}{token.pk}/change/", {"user": other.pk})
    assert answer.status_code == 403
    assert Token.objects.get().user == ann


def test_the_document_of_the_api_names_bearer_tokens(root: Client) -> None:
    document = root.get("/api/schema/").json()
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert {"bearer": []} in document["paths"]["/api/jobs/"]["get"]["security"]


def test_staff_make_no_token_of_a_superuser(staff: Callable[..., Client], ann: User) -> None:
    root = User.objects.create_superuser("root")
    browser = staff("add", "view")
    answer = browser.post(ADD, {"user": root.username})
    assert "There is no such user" in answer.content.decode()
    assert not Token.objects.exists()
    assert jobs(made(browser, ann)).status_code == 200
