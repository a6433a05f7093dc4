"""A connection whose every read and write ends with the target's clock."""

from __future__ import annotations

import select
import socket
import ssl
from typing import Any

import httpcore2

from batch.errors import FetchError

from .clock import Clock
from .errors import fail, out_of_time
from .limits import READ_SECONDS

_HTTP = b"HTTP/"
_CA_HINT = "an operator can trust a private authority with SIFT_FETCH['CA_FILE']"


class GuardedStream(httpcore2.NetworkStream):
    """What the guard gives to httpcore2. Raises :class:`FetchError` only."""

    def __init__(self, sock: socket.socket, clock: Clock, connect_seconds: float) -> None:
        self._sock = sock
        self._clock = clock
        self._connect_seconds = connect_seconds
        self.ended = False
        """Whether the server closed the connection."""
        self._head = b""

    @property
    def speaks_http(self) -> bool:
        """Whether what came so far is the beginning of an HTTP answer."""
        return _HTTP.startswith(self._head)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._sock.settimeout(self._clock.bounded(READ_SECONDS))
            data = self._sock.recv(max_bytes)
        except TimeoutError:
            raise self._silent() from None
        except OSError:
            raise lost() from None
        self.ended = not data
        if len(self._head) < len(_HTTP):
            self._head = (self._head + data)[: len(_HTTP)]
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self._sock.settimeout(self._clock.bounded(READ_SECONDS))
            self._sock.sendall(buffer)
        except TimeoutError:
            raise self._silent() from None
        except OSError:
            raise lost() from None

    def close(self) -> None:
        self._sock.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            self._sock.settimeout(self._clock.bounded(self._connect_seconds))
            # A trailing dot belongs to the look-up; no certificate is made out to it.
            name = (server_hostname or "").removesuffix(".")
            self._sock = ssl_context.wrap_socket(self._sock, server_hostname=name)
        except TimeoutError:
            self.close()
            self._clock.check()
            raise fail(
                "connect_timeout", "the server does not finish its TLS handshake", "try later"
            ) from None
        except ssl.SSLCertVerificationError as bad:
            self.close()
            raise _bad_certificate(bad) from None
        except (ssl.SSLError, ValueError):
            self.close()
            raise fail(
                "tls_error",
                "no secure connection to the server can be made",
                "the server's TLS is broken or outdated; an http URL may work",
            ) from None
        except OSError:
            self.close()
            raise lost() from None
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return bool(select.select([self._sock], [], [], 0)[0])
        return None

    def _silent(self) -> Exception:
        if self._clock.remaining() <= 0:
            return out_of_time(self._clock.seconds)
        return fail(
            "timeout", f"the server was silent for {READ_SECONDS:g} seconds", "try again later"
        )


def lost() -> FetchError:
    """The connection ended before the answer did."""
    return fail(
        "connection_lost", "the connection ended before the whole page came", "try again later"
    )


def _bad_certificate(bad: ssl.SSLCertVerificationError) -> Exception:
    if bad.verify_code == 10:
        reason, hint = "its certificate has expired", "the site's operator has to renew it"
    elif bad.verify_code in (62, 64):
        reason, hint = "its certificate is made out to another name", "check the host name"
    elif bad.verify_code == 18:
        reason, hint = "its certificate is self-signed", _CA_HINT
    else:
        reason = "its certificate cannot be traced to a known authority"
        hint = (
            "the server may fail to send an intermediate certificate, which browsers fetch"
            f" themselves; {_CA_HINT}"
        )
    return fail("tls_error", f"the server cannot be trusted: {reason}", hint)
