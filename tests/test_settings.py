"""`sift_batch.settings`: what it takes from the environment, and what it protects."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client

from tests.processes import ROOT

PRINT = """
import json
from sift_batch import settings as s
shown = {name: getattr(s, name) for name in ("DEBUG", "ALLOWED_HOSTS", "DATABASES")}
print(json.dumps(shown))
"""


def start(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    ours = {"DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, *argv],
        cwd=ROOT,
        env={**kept, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def settings(**env: str) -> dict[str, Any]:
    done = start("-c", PRINT, **env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_a_secret_key_nothing_starts_and_one_line_says_what_to_do() -> None:
    done = start("manage.py", "check")
    assert done.returncode == 1
    assert done.stderr.startswith("ImproperlyConfigured: SECRET_KEY is not set. ")
    assert done.stderr.count("\n") == 1


def test_debug_needs_no_secret_key() -> None:
    assert settings(DEBUG="1")["DEBUG"] is True


@pytest.mark.parametrize("value", ["", "0", "false", "no"])
def test_debug_is_off_unless_it_is_turned_on(value: str) -> None:
    assert settings(DEBUG=value, SECRET_KEY="x")["DEBUG"] is False


def test_the_allowed_hosts_are_separated_by_commas() -> None:
    shown = settings(SECRET_KEY="x", ALLOWED_HOSTS="a.example, b.example,")
    assert shown["ALLOWED_HOSTS"] == ["a.example", "b.example"]


def test_the_default_database_is_sqlite_with_wal_and_immediate_transactions() -> None:
    database = settings(SECRET_KEY="x")["DATABASES"]["default"]
    assert database["NAME"] == str(ROOT / "db.sqlite3")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]


@pytest.mark.parametrize(
    ("url", "engine"),
    [("postgres://u:p@db:5432/jobs", "postgresql"), ("mysql://u@db/jobs", "mysql")],
)
def test_a_server_is_named_by_its_url(url: str, engine: str) -> None:
    database = settings(SECRET_KEY="x", DATABASE_URL=url)["DATABASES"]["default"]
    assert database["ENGINE"] == f"django.db.backends.{engine}"
    assert (database["HOST"], database["NAME"]) == ("db", "jobs")
    assert "OPTIONS" not in database


@pytest.mark.django_db
def test_the_bare_address_leads_to_the_admin(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/admin/"


@pytest.mark.django_db
def test_pages_allow_nothing_inline_and_nothing_from_elsewhere(client: Client) -> None:
    headers = client.get("/admin/login/").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
def test_static_files_are_served_without_being_collected(client: Client) -> None:
    response = client.get("/static/admin/css/base.css")
    assert response.status_code == 200
    response.close()


@pytest.mark.django_db
def test_who_is_unknown_to_the_api_is_told_how_to_say_who_they_are(client: Client) -> None:
    response = client.get("/api/jobs/")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
