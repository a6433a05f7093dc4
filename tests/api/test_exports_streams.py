"""Results as streams: over real connections, under ASGI, and what ends before its end."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, IncompleteRead
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.asgi import get_asgi_application
from rest_framework.test import APIClient

from batch import exports, results
from batch.ids import user_caller
from batch.runner import Runner
from bench.visits import fill_one
from tests.api.conftest import JOBS, token_of
from tests.api.rows import job_of, targets_of
from tests.api.test_exports_memory import FORMS, RESULT_CHARS
from tests.concurrency import eventually
from tests.processes import Processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token(ann: User) -> str:
    return token_of(ann)


@pytest.fixture
def job(ann: User) -> Any:
    job = job_of(ann)
    targets_of(job, *["done"] * 5, result={"content": "é" * 100_000, "meta": {}})
    return job


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each portion of one row that is read."""
    read: list[int] = []
    portion = results._portion

    def counted(*args: Any) -> Any:
        read.append(1)
        return portion(*args)

    monkeypatch.setattr(results, "PORTION_ROWS", 1)
    monkeypatch.setattr(results, "_portion", counted)
    return read


@pytest.fixture
def connect(processes: Processes) -> Callable[[], HTTPConnection]:
    """Connections to the server of `make run`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    processes.python("-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "sift_batch.wsgi")

    def answers() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=30).close()
        except ConnectionError:
            return False
        return True

    eventually(answers, seconds=60)
    return lambda: HTTPConnection("127.0.0.1", port, timeout=30)


def test_a_server_sends_results_in_chunks(connect: Any, job: Any, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    connection = connect()
    for form in FORMS:
        for method in ("HEAD", "GET"):
            connection.request(method, f"{JOBS}{job.id}/results.{form}", headers=headers)
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Content-Length"]) == (200, None)
            raw = answer.read()
            if method == "HEAD":
                assert raw == b""
            elif form == "zip":
                opened = zipfile.ZipFile(io.BytesIO(raw))
                assert (len(opened.namelist()), opened.testzip()) == (6, None)
            else:
                assert raw.decode().count("é") == 500_000
    connection.close()


def test_a_client_notices_when_a_job_goes_while_it_is_sent(
    connect: Any, ann: User, token: str
) -> None:
    job_id = fill_one(200, RESULT_CHARS, user_caller(ann.pk))
    client = connect()
    headers = {"Authorization": f"Bearer {token}"}
    client.request("GET", f"{JOBS}{job_id}/results.jsonl", headers=headers)
    answer = client.getresponse()
    assert answer.read(10) == b'{"job": "0'
    Runner().delete(job_id)
    with pytest.raises(IncompleteRead):
        answer.read()
    client.close()


def test_nothing_is_read_before_it_is_sent(
    as_ann: APIClient, job: Any, portions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    for form in FORMS:
        portions.clear()
        answer = as_ann.get(f"{JOBS}{job.id}/results.{form}")
        pieces: Iterator[bytes] = iter(answer.streaming_content)  # type: ignore[arg-type]
        assert next(pieces)
        assert len(portions) <= 2
        assert b"".join(pieces)


def test_a_reader_that_goes_away_is_no_error(
    as_ann: APIClient, job: Any, portions: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    for form in FORMS:
        answer = as_ann.get(f"{JOBS}{job.id}/results.{form}")
        next(iter(answer.streaming_content))  # type: ignore[arg-type]
        answer.close()
    assert caplog.records == []


def asked(token: str, path: str, method: str = "GET") -> dict[str, Any]:
    """The scope of a request under ASGI."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
    }


def answered(scope: dict[str, Any], *, leave: bool = False) -> Iterator[dict[str, Any]]:
    """What the application sends; ``leave``: the client goes away at the first of its body."""
    messages: list[dict[str, Any]] = []

    async def run() -> None:
        begun = False
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal begun
            if not begun:
                begun = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)
            if leave and message.get("body"):
                gone.set()
                await asyncio.sleep(30)

        await get_asgi_application()(scope, receive, send)

    asyncio.run(run())
    return iter(messages)


@pytest.mark.parametrize("form", FORMS)
def test_results_are_sent_in_pieces_under_asgi(
    job: Any, token: str, form: str, portions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    start, *bodies = answered(asked(token, f"{JOBS}{job.id}/results.{form}"))
    headers = dict(start["headers"])
    assert start["status"] == 200
    assert headers[b"Content-Disposition"] == f'attachment; filename="{job.id}.{form}"'.encode()
    assert len([message for message in bodies if message.get("body", b"")]) >= 5
    raw = b"".join(message.get("body", b"") for message in bodies)
    if form == "zip":
        assert zipfile.ZipFile(io.BytesIO(raw)).testzip() is None
    else:
        assert raw.decode().count("é") == 500_000


@pytest.mark.parametrize("form", FORMS)
def test_head_and_errors_are_answered_under_asgi(job: Any, token: str, form: str) -> None:
    address = f"{JOBS}{job.id}/results.{form}"
    start, *bodies = answered(asked(token, address, "HEAD"))
    assert (start["status"], {message.get("body", b"") for message in bodies}) == (200, {b""})
    start, *bodies = answered(asked(token, address.replace(str(job.id), "x")))
    assert start["status"] == 404
    assert json.loads(bodies[0]["body"])["code"] == "not_found"


def test_a_client_that_goes_away_ends_the_reading_under_asgi(
    job: Any,
    token: str,
    portions: list[int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended: list[str] = []
    threads = {thread.name for thread in threading.enumerate()}

    def watched(*args: str) -> Iterator[bytes]:
        try:
            yield from exports.stream(*args)
        finally:
            ended.append(threading.current_thread().name)

    monkeypatch.setattr("batch.exports.sending.stream", watched)
    messages = list(answered(asked(token, f"{JOBS}{job.id}/results.jsonl"), leave=True))
    assert messages[1]["body"]
    assert len(portions) <= 2
    assert len(ended) == 1
    eventually(lambda: {thread.name for thread in threading.enumerate()} == threads)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
