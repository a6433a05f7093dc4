"""Keeps the tests on this machine: a connection or a look-up that would leave it is refused."""

import ipaddress
import socket
from typing import Any

import pytest


class NetworkRefusedError(OSError):
    """Something in a test tried to reach another machine."""


def _is_local(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in {None, "", "localhost", socket.gethostname()}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(host: Any) -> bool:
    try:
        ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host)
    except ValueError:
        return False
    return True


def refuse_other_machines(patch: pytest.MonkeyPatch) -> list[str]:
    """Puts the refusal in place; gives back the list in which it notes what it refused.

    The code under test may take the refusal for an ordinary failure and go on, so whoever asked
    for it has to look at the list afterwards.
    """
    refused: list[str] = []

    def refuse(what: str) -> None:
        refused.append(what)
        raise NetworkRefusedError(f"tests may not leave this machine: {what}")

    def guarded(name: str) -> Any:
        original = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
                refuse(f"{name} to {address}")
            return original(self, address)

        return connect

    original_lookup = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **options: Any) -> Any:
        # An address needs no name server.
        if not _is_local(host) and not _is_address(host):
            refuse(f"look-up of {host!r}")
        return original_lookup(host, *args, **options)

    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, guarded(name), raising=True)
    patch.setattr(socket, "getaddrinfo", getaddrinfo)
    return refused
