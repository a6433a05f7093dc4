"""A web server on loopback that has the documents, in a process of its own."""

from __future__ import annotations

import socket
import threading

from bench.documents import documents

_listening = socket.create_server(("127.0.0.1", 0), backlog=64)


def _answer(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _serve() -> None:
    answers = [_answer(page.encode()) for page in documents()]
    while True:
        connection, _ = _listening.accept()
        with connection:
            path = connection.recv(65536).split(b" ", 2)[1]
            connection.sendall(answers[int(path.rpartition(b"/")[2]) % len(answers)])


def prepare() -> None:
    threading.Thread(target=_serve, daemon=True).start()


def port() -> int:
    return int(_listening.getsockname()[1])


ASKED = (port,)
