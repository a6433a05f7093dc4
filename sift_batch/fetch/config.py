"""The settings of the pipeline as one frozen value."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Resolver = Callable[[str], Sequence[str]]
Ranker = Callable[[str, Sequence[str]], Sequence[float]]


@dataclass(frozen=True)
class FetchConfig:
    """What an operator can set. A value that cannot be used is a ``ValueError`` naming it.

    ``allowed_networks``: CIDRs that the guard opens beside the public addresses.
    ``allowed_ports``: the ports that may be asked.
    ``total_seconds``, ``connect_seconds``, ``convert_seconds``: for the whole target, for one
    connection, for one conversion. ``attempts``: tries in all, the first included.
    ``max_body_bytes`` counts a body as sent, ``max_decoded_bytes`` unpacked, and
    ``max_html_bytes`` unpacked HTML that is to be converted. ``max_content_chars``: of the
    result. ``max_pages``: of a PDF. ``archive_url``: base URL of a Wayback machine.
    ``robots``: honour robots.txt. ``ca_file``: a PEM file of further authorities.
    ``ranker``: dotted path of ``(question, passages) -> scores``, empty for BM25; a passage
    whose score is not above zero is not relevant.
    ``resolver``: ``host -> list of address strings``, instead of the system's look-up.
    """

    allowed_networks: Sequence[str] = ()
    allowed_ports: Sequence[int] = (80, 443, 8080, 8443)
    total_seconds: float = 60.0
    connect_seconds: float = 10.0
    max_body_bytes: int = 20_000_000
    max_decoded_bytes: int = 50_000_000
    max_content_chars: int = 1_000_000
    max_html_bytes: int = 5_000_000
    max_pages: int = 50
    convert_seconds: float = 20.0
    attempts: int = 3
    archive_url: str = "https://web.archive.org"
    robots: bool = False
    user_agent: str = "sift-batch/0.1"
    ca_file: str = ""
    ranker: str = ""
    resolver: Resolver | None = None

    def __post_init__(self) -> None:
        from .guard import GuardPolicy  # imported here: guard needs this module's types

        for name in ("allowed_networks", "allowed_ports"):
            value = getattr(self, name)
            if isinstance(value, str | bytes) or not isinstance(value, Sequence):
                raise ValueError(f"{name} must be a list")
            object.__setattr__(self, name, tuple(value))
        for field in dataclasses.fields(self):
            if field.name not in ("allowed_networks", "allowed_ports", "resolver"):
                _check(field.name, getattr(self, field.name), type(field.default))
        if not self.allowed_ports:
            raise ValueError("allowed_ports is empty, so nothing could be fetched")
        for port in self.allowed_ports:
            if type(port) is not int or not 0 < port < 65536:
                raise ValueError(f"allowed_ports holds {port!r}, which is not a port number")
        try:
            GuardPolicy.of(self)
        except (ValueError, TypeError) as bad:
            raise ValueError(f"allowed_networks cannot be used: {bad}") from bad
        if not self.archive_url.startswith(("http://", "https://")):
            raise ValueError("archive_url must begin with http:// or https://")
        if not self.user_agent.isascii() or not self.user_agent.isprintable():
            raise ValueError("user_agent must be printable ASCII")
        if self.ca_file and not os.path.isfile(self.ca_file):
            raise ValueError("ca_file names no file")
        if self.ranker:
            self.load_ranker()

    def load_ranker(self) -> Ranker | None:
        """The host's ranker, or None for the one that comes with the pipeline."""
        if not self.ranker:
            return None
        module, _, name = self.ranker.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as bad:
            raise ValueError(f"ranker {self.ranker!r} cannot be imported") from bad
        if not callable(found):
            raise ValueError(f"ranker {self.ranker!r} is not callable")
        return found  # type: ignore[no-any-return]  # checked as far as it can be


def _check(name: str, value: Any, wanted: type) -> None:
    """One field's type and sign."""
    if wanted is bool or wanted is str:
        if type(value) is not wanted:
            raise ValueError(f"{name} must be {'true or false' if wanted is bool else 'text'}")
        return
    if isinstance(value, bool) or not isinstance(value, int if wanted is int else (int, float)):
        raise ValueError(f"{name} must be a number")
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} must be above zero")
