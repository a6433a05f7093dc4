"""What a look-up of names may answer, and what a TLS handshake may not take."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, error_of, fetch, reply

PAGE = reply(article(PARAGRAPH, OTHER))


def code_with(web: Web, resolver: Any, **settings: Any) -> str:
    server = web.serve(PAGE)
    config = web.config(attempts=1, resolver=resolver, **settings)
    error = error_of(lambda: fetch(f"http://page.test:{server.port}/", config))
    assert server.requests == []
    assert error.hint
    return error.code


@pytest.mark.parametrize(
    "answers",
    [["x"], [""], [None], [5], ["127.0.0.01"], ["127.1"], ["0x7f.1"], ["127.0.0.1", "x"],
     ["127.0.0.1%lo"], "127.0.0.1"],
)  # fmt: skip
def test_an_answer_that_is_no_address_is_a_failed_look_up(web: Web, answers: Any) -> None:
    assert code_with(web, lambda host: answers) == "dns_failed"


@pytest.mark.parametrize("answers", [[], (), None])
def test_no_answer_is_a_name_that_does_not_exist(web: Web, answers: Any) -> None:
    assert code_with(web, lambda host: answers) == "dns_not_found"


@pytest.mark.parametrize("zoned", ["fe80::1%lo", "::1%lo", "fe80::1%25lo", "::ffff:127.0.0.1%lo"])
def test_an_address_with_a_zone_is_judged_as_without_it(web: Web, zoned: str) -> None:
    assert code_with(web, lambda host: [zoned]) == "blocked_address"


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (socket.gaierror(socket.EAI_NONAME, "none"), "dns_not_found"),
        (socket.gaierror(socket.EAI_AGAIN, "again"), "dns_failed"),
        (socket.gaierror(socket.EAI_FAIL, "fail"), "dns_failed"),
        (KeyError("page.test"), "dns_not_found"),
        (OSError("broken"), "dns_failed"),
        (UnicodeError("label too long"), "dns_failed"),
        (TimeoutError("slow"), "dns_failed"),
    ],
)
def test_a_look_up_that_raises_fails_its_target_alone(
    web: Web, raised: Exception, code: str
) -> None:
    def resolver(host: str) -> list[str]:
        raise raised

    assert code_with(web, resolver) == code


def test_a_thousand_answers_are_one_look_up_and_one_connection(web: Web) -> None:
    server = web.serve(PAGE)
    config = web.config(resolver=lambda host: ["127.0.0.1"] * 1000)
    assert "bridge" in fetch(f"http://page.test:{server.port}/", config).content
    assert len(server.requests) == 1


def test_a_handshake_that_nobody_answers_ends_with_its_own_limit(web: Web) -> None:
    server = web.serve(lambda request: [5.0])
    config = web.config(attempts=1, connect_seconds=0.5)
    started = time.monotonic()
    error = error_of(lambda: fetch(f"https://page.test:{server.port}/", config))
    assert error.code == "connect_timeout"
    assert time.monotonic() - started < 1.5


def test_a_handshake_that_drips_ends_with_its_own_limit(web: Web) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = web.config(allowed_ports=[port], attempts=1, connect_seconds=0.6)
    with listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                # The head of a record that says that 16 kB follow, and then a byte at a time.
                for byte in b"\x16\x03\x03\x40\x00" + bytes(60):
                    try:
                        connection.send(bytes([byte]))
                    except OSError:
                        return
                    time.sleep(0.1)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        started = time.monotonic()
        error = error_of(lambda: fetch(f"https://page.test:{port}/", config))
        assert error.code in ("connect_timeout", "tls_error")
        assert time.monotonic() - started < 1.6
        thread.join(10)
