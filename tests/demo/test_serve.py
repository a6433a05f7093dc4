"""`python -m sift_batch.serve`: web server and worker together."""

import json
import re
import signal
import socket
import stat
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate, get_user_model

from sift_batch.serve import make_account, make_token
from sift_batch.tokens.models import Token
from tests.concurrency import eventually
from tests.demo.runs import Program, left

SERVE = ("-m", "sift_batch.serve", "--port", "0")
PASSWORD = r"password [\w-]{16} "
TOKEN = r"\b[0-9a-f]{64}\b"


def start(folder: Path) -> Program:
    program = Program(*SERVE, folder=folder, DATABASE_URL=f"sqlite:///{folder / 'run.sqlite3'}")
    eventually(lambda: "Ctrl-C stops both" in program.said, 60)
    return program


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serve")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Program]:
    with start(folder) as program:
        yield program


def ask(server: Program, path: str, body: Any = None) -> tuple[int, str]:
    (port,) = set(re.findall(r"http://127\.0\.0\.1:(\d+)/admin/", server.said))
    (token,) = re.findall(r"Bearer (\w+)", server.said)
    connection = HTTPConnection("127.0.0.1", int(port), timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    sent = None if body is None else json.dumps(body)
    connection.request("POST" if sent else "GET", path, sent, headers)
    answer = connection.getresponse()
    status, text = answer.status, answer.read().decode()
    connection.close()
    return status, text


def test_the_admin_can_be_logged_into_and_has_its_style(server: Program) -> None:
    status, page = ask(server, "/admin/login/")
    assert status == 200
    (style,) = re.findall(r'href="(/static/admin/css/base\.css)"', page)
    assert ask(server, style)[0] == 200


def test_the_worker_drains_what_the_api_takes(server: Program) -> None:
    status, text = ask(server, "/api/jobs/", {"targets": ["http://127.0.0.1:9/"]})
    assert status == 202
    path = re.sub(r"^http://[^/]+", "", json.loads(text)["links"]["self"])
    job = eventually(lambda: (found := json.loads(ask(server, path)[1]))["finished_at"] and found)
    assert job["status"] == "failed"
    assert "blocked_address" in ask(server, f"{path}targets/")[1]


def test_its_key_is_its_users_own(server: Program, folder: Path) -> None:
    key = folder / ".run/secret-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_text()) > 50


@pytest.mark.django_db
def test_a_password_is_made_with_the_account_and_on_request() -> None:
    password = make_account("ann", staff=True)
    assert authenticate(username="ann", password=password).is_superuser
    assert make_account("ann", staff=True) == ""
    anew = make_account("ann", staff=True, new_password=True)
    assert authenticate(username="ann", password=anew)
    assert not authenticate(username="ann", password=password)


@pytest.mark.django_db
def test_a_caller_of_the_api_has_a_token_and_no_password() -> None:
    assert make_account("bob", staff=False) == ""
    assert not get_user_model().objects.get(username="bob").has_usable_password()
    assert len(make_token("bob")) == 64


@pytest.mark.django_db
def test_a_token_is_made_for_who_has_none() -> None:
    make_account("bob", staff=False)
    assert make_token("bob")
    assert make_token("bob") == ""
    Token.objects.all().delete()
    assert make_token("bob")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_both_with_exit_code_0_and_leaves_no_process(
    server: Program, folder: Path, number: signal.Signals
) -> None:
    with start(folder) as program:
        family = program.family()
        program.stop(number)
        assert program.wait() == 0, program.said
    assert len(family) > 3
    assert left(family) == []
    assert "Traceback" not in program.said
    # The account was there: the password is shown with the first start alone.
    assert re.search(PASSWORD, server.said)
    assert not re.search(PASSWORD, program.said)
    assert "--new-password" in program.said
    # So is the token.
    assert len(re.findall(TOKEN, server.said)) == 1
    assert not re.search(TOKEN, program.said)
    assert "Bearer $TOKEN" in program.said


@pytest.mark.parametrize(
    ("which", "name"), [("gunicorn", "web server"), ("batch_worker", "worker")]
)
def test_it_ends_when_one_of_the_two_dies(
    server: Program, folder: Path, which: str, name: str
) -> None:
    with start(folder) as program:
        family = program.family()
        (victim,) = (p for p in family[0].children() if which in p.cmdline())
        victim.send_signal(signal.SIGKILL)
        assert program.wait() == 1
    assert left(family) == []
    assert f"sift_batch.serve: the {name} ended by itself, with code -9" in program.said


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with Program("-m", "sift_batch.serve", folder=tmp_path, PORT=port) as program:
            assert program.wait() == 1
    assert program.said.splitlines() == [
        f"sift_batch.serve: port {port} is taken by another program; name another: --port N"
    ]


def test_a_database_that_does_not_answer_is_told_in_one_line(tmp_path: Path) -> None:
    url = "postgres://nobody@127.0.0.1:9/none"
    with Program(*SERVE, folder=tmp_path, DATABASE_URL=url) as program:
        assert program.wait() == 1
    (line,) = program.said.splitlines()
    assert line.startswith("sift_batch.serve: the database does not answer: ")
