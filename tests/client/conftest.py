"""A live server on PostgreSQL with a worker behind it, and two callers with tokens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from django.contrib.auth.models import User

from sift_batch.demo.children import HOST, listen
from tests.api.conftest import token_of
from tests.concurrency import eventually
from tests.processes import Processes

CALLERS = ("ann", "bob")
# No cap may come between a document and a call that follows it.
UNCAPPED = {"JOBS_PER_CALLER": 10**6, "JOBS_TOTAL": 10**6, "TARGETS_PER_JOB": 10**3}
WORKED = {**UNCAPPED, "FETCH": "tests.client.fetches.fetch", "ISOLATION": "thread"}


@dataclass(frozen=True)
class Server:
    """Where it is, each caller's token, and a file with the document that it serves."""

    url: str
    tokens: dict[str, str]
    document: Path


def _document(url: str, token: str) -> bytes | None:
    """None as long as nobody listens."""
    request = Request(f"{url}/api/schema/", headers={"Authorization": f"Bearer {token}"})
    with suppress(URLError), urlopen(request, timeout=30) as answer:
        return bytes(answer.read())
    return None


@pytest.fixture
def serve(
    transactional_db: None, processes: Processes, tmp_path: Path
) -> Callable[[dict[str, Any]], Server]:
    """Starts gunicorn with these settings in BATCH."""

    def start(batch: dict[str, Any]) -> Server:
        with listen(0) as free:
            port = free.getsockname()[1]
        argv = ["-m", "gunicorn", "sift_batch.wsgi", "--bind", f"{HOST}:{port}", "--threads=8"]
        # gunicorn itself refuses long addresses, with a page of its own, before the API sees them.
        argv += ["--limit-request-line=0", "--no-control-socket"]
        processes.python(*argv, batch=batch)
        tokens = {name: token_of(User.objects.create_user(name)) for name in CALLERS}
        url = f"http://{HOST}:{port}"
        document = tmp_path / "openapi.json"
        document.write_bytes(eventually(lambda: _document(url, tokens["ann"]), 60))
        return Server(url, tokens, document)

    return start


@pytest.fixture
def server(serve: Callable[[dict[str, Any]], Server], processes: Processes) -> Server:
    processes.manage("batch_worker", "--slots=64", batch=WORKED)
    return serve(WORKED)
