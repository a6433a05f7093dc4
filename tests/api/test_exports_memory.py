"""What results as files take of memory, however many they are."""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from django.contrib.auth.models import User

from batch.ids import user_caller
from bench.visits import fill_one
from tests.api.conftest import token_of
from tests.concurrency import eventually, rounds
from tests.processes import Processes

pytestmark = pytest.mark.django_db(transaction=True)

RESULT_CHARS = 100_000
FORMS = ("jsonl", "csv", "zip")


class Sent(NamedTuple):
    first_seconds: float
    size: int
    growth: float  # of the web process's memory, in megabytes


class Web:
    """The web server, and the memory of the process in which it answers."""

    def __init__(self, processes: Processes, token: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._headers = {"Authorization": f"Bearer {token}"}
        bind = ("--bind", f"127.0.0.1:{self._port}", "--threads", "8")
        server = processes.python("-m", "gunicorn", "sift_batch.wsgi", *bind)
        eventually(self._answers, 60)
        (worker,) = psutil.Process(server.pid).children()
        self._memory = Path(f"/proc/{worker.pid}")

    def _answers(self) -> bool:
        with suppress(ConnectionRefusedError):
            self._get("/admin/login/")
            return True
        return False

    def _get(self, path: str) -> tuple[float, int]:
        """The seconds to the answer's first byte, and its size."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=600)
        started = time.monotonic()
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        size = len(answer.read(1))
        first = time.monotonic() - started
        size += sum(map(len, iter(partial(answer.read, 1024 * 1024), b"")))
        connection.close()
        return first, size

    def sent(self, job: str, form: str) -> Sent:
        (self._memory / "clear_refs").write_text("5")  # the peak is the kernel's, and begins anew
        before = self._kilobytes("VmRSS")
        first, size = self._get(f"/api/jobs/{job}/results.{form}")
        return Sent(first, size, (self._kilobytes("VmHWM") - before) / 1024)

    def _kilobytes(self, name: str) -> int:
        lines = (self._memory / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


@pytest.fixture
def token(ann: User) -> str:
    return token_of(ann)


def sent(processes: Processes, ann: User, token: str, count: int) -> list[Sent]:
    """A job of so many large results, in each of the forms."""
    small, large = (fill_one(n, RESULT_CHARS, user_caller(ann.pk)) for n in (3, count))
    web = Web(processes, token)
    for form in FORMS:
        web.sent(small, form)  # whatever a form needs is imported
    found = {form: web.sent(large, form) for form in FORMS}
    for form, each in found.items():
        assert each.size > count * (20_000 if form == "zip" else 80_000)
    return list(found.values())


# SQLite is read as a server is, and takes its time for that.
@pytest.mark.only_on("postgres", "mariadb")
def test_a_large_job_is_sent_in_little_memory(processes: Processes, ann: User, token: str) -> None:
    for each in sent(processes, ann, token, 600):
        assert each.growth < 25  # a third of that, as a rule


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_large_results_are_sent_at_once_and_in_little_memory(
    processes: Processes, ann: User, token: str
) -> None:
    for each in sent(processes, ann, token, rounds(100) * 100):
        assert each.growth < 50
        assert each.first_seconds < 1
