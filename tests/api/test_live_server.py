"""Bodies without a length, over a real connection to the server of `make run`."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User

from batch.models import BatchJob
from tests.api.conftest import JOBS, URL, token_of
from tests.concurrency import eventually
from tests.processes import Processes

pytestmark = pytest.mark.django_db(transaction=True)

LIMIT = 200_000


def connected(port: int) -> socket.socket | None:
    with suppress(ConnectionError):
        return socket.create_connection(("127.0.0.1", port), timeout=30)
    return None


@pytest.fixture
def send(processes: Processes) -> Callable[..., tuple[bytes, int]]:
    """Sends a chunked body; gives back the answer, and how much was sent before it came."""
    user = User.objects.create_user("ann")
    head = (
        f"POST {JOBS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Authorization: Bearer {token_of(user)}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = ["-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "sift_batch.wsgi"]
    processes.python(*server, batch={"BODY_MAX_BYTES": LIMIT})
    eventually(lambda: (probe := connected(port)) and (probe.close() or True), seconds=60)

    def call(*pieces: bytes) -> tuple[bytes, int]:
        sent = 0
        answer = b""
        connection: Any = connected(port)
        with connection, suppress(ConnectionError):
            # A server that has answered may close while the rest is still on its way.
            with suppress(ConnectionError):
                connection.sendall(head)
                for piece in pieces:
                    connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                    sent += len(piece)
                connection.sendall(b"0\r\n\r\n")
            while piece := connection.recv(65536):
                answer += piece
        return answer, sent

    return call


def test_a_chunked_body_is_taken_up_to_the_limit_and_no_further(send: Any) -> None:
    body = json.dumps({"targets": [URL]}).encode()
    endless = [b" " * 65536] * 1000
    answer, sent = send(*endless)
    assert sent < sum(map(len, endless))
    # What was still on its way may have cost the answer.
    assert answer[:12] in (b"HTTP/1.1 413", b"")
    answer, _ = send(body[:10], body[10:])
    assert answer.startswith(b"HTTP/1.1 202")
    assert BatchJob.objects.count() == 1
