"""A server that says what it is told to, true or not, and short ways to fetch from it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from batch.errors import FetchError
from batch.types import FetchContext, Options, Result, Target
from sift_batch.fetch import FetchConfig, Fetcher

Answer = bytes | Callable[[bytes], Any]

PARAGRAPH = (
    "<p>The committee met on Tuesday and decided that the bridge will be rebuilt with stone"
    " from the old quarry, as the town had asked for since the spring.</p>"
)
OTHER = (
    "<p>Nobody in the valley remembers a winter in which the river froze as early as it did"
    " this year, and the ferry has been idle for three weeks now.</p>"
)


def reply(
    body: bytes | str = b"",
    content_type: str | None = "text/html",
    status: str = "200 OK",
    *headers: str,
) -> bytes:
    """The bytes of an honest answer."""
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}"]
    if content_type is not None:
        lines.insert(1, f"Content-Type: {content_type}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + body


def redirect(location: str | bytes, status: str = "302 Found", *headers: str) -> bytes:
    raw = location.encode() if isinstance(location, str) else location
    extra = "".join(f"{header}\r\n" for header in headers).encode()
    return f"HTTP/1.1 {status}\r\n".encode() + extra + b"Location: " + raw + b"\r\n\r\n"


def article(*inside: str, head: str = "") -> str:
    """A page whose main content nobody could miss."""
    body = "".join(inside)
    return f"<html><head>{head}</head><body><article>{body}</article></body></html>"


class Server:
    """A thread with a raw socket: it reads a request up to its blank line and answers.

    ``answers`` are by path, or one list for all paths in order; the last one stays. An answer
    is bytes, or a function of the request that gives an iterable of bytes or seconds to wait.
    """

    def __init__(self, answers: Any, address: str = "127.0.0.1", port: int = 0) -> None:
        self._answers = answers
        self._socket = socket.create_server((address, port))
        self.port = int(self._socket.getsockname()[1])
        self.requests: list[bytes] = []
        self.times: list[float] = []
        self._taken: dict[str, int] = {}
        self._open: set[socket.socket] = set()
        self._stopped = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def paths(self) -> list[str]:
        return [request.split(b" ", 2)[1].decode("latin-1") for request in self.requests]

    def stop(self) -> None:
        self._stopped = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in list(self._open):
            connection.close()

    def _accept(self) -> None:
        while not self._stopped:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(65536)
                if not piece:
                    return
                request += piece
            self.times.append(time.monotonic())
            self.requests.append(request)
            for piece in self._pieces(request):
                if isinstance(piece, bytes):
                    connection.sendall(piece)
                else:
                    time.sleep(piece)
        except OSError:
            pass
        finally:
            self._open.discard(connection)
            connection.close()

    def _pieces(self, request: bytes) -> Iterable[Any]:
        path = request.split(b" ", 2)[1].decode("latin-1")
        answers = self._answers
        if isinstance(answers, dict):
            answers = answers.get(path, answers.get(path.partition("?")[0], reply(status="404 No")))
        key = path if isinstance(self._answers, dict) else ""
        if isinstance(answers, list):
            at = self._taken.get(key, 0)
            self._taken[key] = at + 1
            answers = answers[min(at, len(answers) - 1)]
        if isinstance(answers, bytes):
            return [answers]
        given = answers(request)
        return [given] if isinstance(given, bytes) else given


class Web:
    """Servers of one test, and fetches that can reach them."""

    def __init__(self) -> None:
        self._servers: list[Server] = []

    def serve(self, answers: Any, address: str = "127.0.0.1", port: int = 0) -> Server:
        server = Server(answers, address, port)
        self._servers.append(server)
        return server

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    def config(self, *servers: Server, **settings: Any) -> FetchConfig:
        """May reach 127.0.0.1, where every name leads."""
        defaults: dict[str, Any] = {
            "allowed_networks": ["127.0.0.1/32"],
            "allowed_ports": [server.port for server in servers or self._servers] or [80],
            "resolver": lambda host: ["127.0.0.1"],
            "total_seconds": 20.0,
        }
        return FetchConfig(**{**defaults, **settings})

    def fetch(
        self,
        answers: Any,
        path: str = "/",
        *,
        settings: dict[str, Any] | None = None,
        host: str = "page.test",
        **options: Any,
    ) -> Result:
        """Serve ``answers`` and fetch ``path`` from there."""
        server = answers if isinstance(answers, Server) else self.serve(answers)
        url = f"http://{host}:{server.port}{path}"
        return fetch(url, self.config(**(settings or {})), **options)


def fetch(url: str, config: FetchConfig | None = None, **options: Any) -> Result:
    return Fetcher(config or FetchConfig())(FetchContext(), Target(url, Options(**options)))


def error_of(call: Callable[[], Any]) -> FetchError:
    """The error that ``call`` ends with."""
    try:
        result = call()
    except FetchError as error:
        return error
    raise AssertionError(f"no error, but {result!r}")


def warnings_of(result: Result) -> list[str]:
    return [warning["code"] for warning in result.meta["warnings"]]
