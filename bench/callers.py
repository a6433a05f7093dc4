"""Callers of the API, each a thread that submits, polls, cancels and reads, and what they met.

A request has a connection of its own, as a script's has. In between a caller waits a little.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter, defaultdict
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connections
from django.db.models import Count

from batch.models import BatchJob
from bench.load_settings import CAPS
from sift_batch.tokens.models import Token

THINK_SECONDS = (0.1, 0.5)
LONGEST_SECONDS = 60.0
LOOK_SECONDS = 0.02
JSON = "application/json"
TERMINAL = {"done", "failed", "partial", "cancelled"}
# What each deed may be answered with.
RIGHT = {
    "submit": {202, 200, 429},
    "submit too many": {422},
    "status": {200, 304},
    "wait": {200, 304},
    "targets": {200},
    "results": {200},
    "list": {200},
    "cancel": {200, 409},
    "retry": {202, 409, 429},
}


class Met:
    """What was answered, and how long that took, by deed."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.answers: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def note(self, deed: str, status: int, seconds: float, told: bytes) -> None:
        with self._lock:
            self.seconds[deed].append(seconds)
            self.answers[f"{deed}: {status}"] += 1
            if status not in RIGHT[deed]:
                self.wrong.append(f"{deed}: {status} {told[:300]!r}")

    def fail(self, deed: str, error: Exception) -> None:
        with self._lock:
            self.wrong.append(f"{deed}: {error!r}")


class Caller:
    def __init__(self, number: int, token: str, port: int, met: Met) -> None:
        self._number = number
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": JSON}
        self._port = port
        self._met = met
        self._pick = random.Random(number)
        self._jobs = 0

    def work(self, until: float) -> None:
        while time.monotonic() < until:
            self._think()
            job = self._submit()
            if job and self._pick.random() < 0.2:
                self._submit()  # one too many, unless the first has ended
            if job and self._pick.random() < 0.8:
                self._follow(job, until)
            if job and self._pick.random() < 0.3:
                self._ask("cancel", "POST", f"{job}/cancel/")
            if job:
                self._read(job)
            elif self._pick.random() < 0.1:
                self._ask("list", "GET", "")

    def _submit(self) -> str:
        self._jobs += self._pick.random() < 0.8  # else the same again
        too_many = self._pick.random() < 0.05
        most = CAPS["TARGETS_PER_JOB"]
        count = most + 1 if too_many else 1 + (self._number + 3 * self._jobs) % most
        what = "too-many" if too_many else "page"
        urls = [f"https://example.com/{self._number}/{self._jobs}/{what}/{i}" for i in range(count)]
        deed = "submit too many" if too_many else "submit"
        answer = self._ask(deed, "POST", "", {"targets": urls})
        return str(answer["id"]) if answer and "links" in answer else ""

    def _follow(self, job: str, until: float) -> None:
        while time.monotonic() < until:
            self._think()
            waits = self._pick.random() < 0.1
            path = f"{job}/?wait=2" if waits else f"{job}/"
            found = self._ask("wait" if waits else "status", "GET", path)
            if not found or found["status"] in TERMINAL or self._pick.random() < 0.1:
                return

    def _read(self, job: str) -> None:
        self._think()
        self._ask("targets", "GET", f"{job}/targets/")
        if self._pick.random() < 0.2:
            self._ask("results", "GET", f"{job}/results.jsonl")
        if self._pick.random() < 0.1:
            self._ask("retry", "POST", f"{job}/retry/")

    def _think(self) -> None:
        time.sleep(self._pick.uniform(*THINK_SECONDS))

    def _ask(self, deed: str, method: str, path: str, body: Any = None) -> Any:
        sent = None if body is None else json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LONGEST_SECONDS)
        started = time.perf_counter()
        try:
            connection.request(method, f"/api/jobs/{path}", sent, self._headers)
            response = connection.getresponse()
            told = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._met.fail(deed, error)
            return None
        finally:
            connection.close()
        self._met.note(deed, response.status, time.perf_counter() - started, told)
        return json.loads(told) if response.headers.get_content_type() == JSON else None


class Watcher:
    """Asks the database, beside everybody, how many jobs are live."""

    def __init__(self) -> None:
        self.looks = self.most = self.most_of_one = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            live = BatchJob.objects.live().order_by().values_list("caller")
            counts = [count for _, count in live.annotate(Count("id"))]
            self.looks += 1
            self.most = max(self.most, sum(counts))
            self.most_of_one = max(self.most_of_one, *counts, 0)
        connections.close_all()


def prepare() -> None:
    call_command("migrate", verbosity=0)


def load(callers: int, seconds: float, port: int) -> dict[str, Any]:
    """So many callers for so long: their times by deed, the answers, and what was wrong."""
    met = Met()
    users = [User.objects.get_or_create(username=f"caller{i}")[0] for i in range(callers)]
    tokens = [Token.objects.create(user, name="load")[1] for user in users]
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=Caller(number, str(token), port, met).work, args=[until])
        for number, token in enumerate(tokens)
    ]
    with Watcher() as watcher:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {
        "seconds": met.seconds,
        "answers": met.answers,
        "caps": CAPS,
        "wrong": met.wrong[:20],
        "wrongs": len(met.wrong),
        "looks": watcher.looks,
        "most": watcher.most,
        "most_of_one": watcher.most_of_one,
        "drained": BatchJob.objects.filter(status="done").count(),
    }


ASKED = (load,)
