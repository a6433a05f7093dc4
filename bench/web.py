"""The web server, started as for production, and a client that is logged in."""

from __future__ import annotations

import http.client
import socket
import time
from typing import NamedTuple

import psutil

from bench.process import Program

START_SECONDS = 60.0
LONGEST_SECONDS = 900.0
PIECE_BYTES = 1024 * 1024


class Answer(NamedTuple):
    first_seconds: float
    seconds: float
    size: int


class Web:
    def __init__(
        self, cookie: str, *, workers: int = 1, threads: int = 8, **environment: str
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._cookie = cookie
        bind = ("--bind", f"127.0.0.1:{self.port}", "--no-control-socket")
        size = ("--workers", f"{workers}", "--threads", f"{threads}")
        argv = ("-m", "gunicorn", "sift_batch.wsgi", "--log-level", "error")
        self._program = Program(*argv, *size, *bind, **environment)

    def __enter__(self) -> Web:
        self._program.__enter__()
        ends = time.monotonic() + START_SECONDS
        while time.monotonic() < ends and self._program.runs:
            try:
                self.get("/api/health/alive/")
            except ConnectionRefusedError:
                time.sleep(0.1)
            else:
                return self
        raise RuntimeError("the web server did not start")

    def __exit__(self, *error: object) -> None:
        self._program.__exit__(*error)

    @property
    def worker(self) -> psutil.Process:
        (worker,) = psutil.Process(self._program.pid).children()
        return worker

    def get(self, path: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_SECONDS)
        started = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": self._cookie})
        response = connection.getresponse()
        size = len(response.read(1))
        first = time.perf_counter() - started
        while piece := response.read(PIECE_BYTES):
            size += len(piece)
        seconds = time.perf_counter() - started
        connection.close()
        if response.status != http.client.OK:
            raise RuntimeError(f"{path} was answered with {response.status}")
        return Answer(first, seconds, size)
