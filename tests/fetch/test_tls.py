"""Certificates. Those in ``certs`` are made for page.test by an authority of the tests' own."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .kit import OTHER, PARAGRAPH, Web, article, error_of, fetch, reply

CERTS = Path(__file__).parent / "certs"
PAGE = reply(article(PARAGRAPH, OTHER))


@contextmanager
def tls_server(tmp_path: Path, *chain: str) -> Iterator[int]:
    """The port of a server that shows these certificates."""
    shown = tmp_path / "chain.pem"
    shown.write_text("".join((CERTS / f"{name}.pem").read_text() for name in chain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, CERTS / "page.key")
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:
                return
            with plain, suppress(OSError), context.wrap_socket(plain, server_side=True) as secure:
                secure.recv(65536)
                secure.sendall(PAGE)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(5)


def get(web: Web, port: int, host: str = "page.test", **settings: Any) -> Any:
    config = web.config(allowed_ports=[port], ca_file=str(CERTS / "root.pem"), **settings)
    return fetch(f"https://{host}:{port}/", config)


def test_a_private_authority_is_trusted_when_the_operator_names_it(
    web: Web, tmp_path: Path
) -> None:
    with tls_server(tmp_path, "page", "inter") as port:
        assert "bridge" in get(web, port).content


def test_the_certificate_is_checked_against_the_name_not_the_address(
    web: Web, tmp_path: Path
) -> None:
    with tls_server(tmp_path, "page", "inter") as port:
        error = error_of(lambda: get(web, port, "other.test"))
    assert error.code == "tls_error"
    assert "another name" in error.message


def test_a_trailing_dot_of_the_host_does_not_hurt(web: Web, tmp_path: Path) -> None:
    with tls_server(tmp_path, "page", "inter") as port:
        assert "bridge" in get(web, port, "page.test.").content


def test_a_missing_intermediate_certificate_is_an_error_whose_hint_names_it(
    web: Web, tmp_path: Path
) -> None:
    with tls_server(tmp_path, "page") as port:
        error = error_of(lambda: get(web, port))
    assert error.code == "tls_error"
    assert not error.retryable
    assert "intermediate" in error.hint


def test_an_unknown_authority_is_not_trusted(web: Web, tmp_path: Path) -> None:
    with tls_server(tmp_path, "page", "inter") as port:
        config = web.config(allowed_ports=[port])
        error = error_of(lambda: fetch(f"https://page.test:{port}/", config))
    assert error.code == "tls_error"
    assert "CA_FILE" in error.hint


def test_an_expired_certificate_says_so(web: Web, tmp_path: Path) -> None:
    with tls_server(tmp_path, "expired", "inter") as port:
        error = error_of(lambda: get(web, port))
    assert error.code == "tls_error"
    assert "expired" in error.message


def test_a_server_without_tls_is_a_tls_error(web: Web) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]

    def serve() -> None:
        connection, _ = listening.accept()
        connection.sendall(PAGE)
        connection.recv(65536)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    config = web.config(allowed_ports=[port], attempts=1)
    error = error_of(lambda: fetch(f"https://page.test:{port}/", config))
    listening.close()
    assert error.code == "tls_error"
