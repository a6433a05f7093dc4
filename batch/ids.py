"""Job ids: UUID version 7 (RFC 9562, section 5.7), so that ids made later sort later."""

from __future__ import annotations

import os
import socket
import time
import uuid


def new_id() -> uuid.UUID:
    """48 bits of Unix milliseconds and 74 random bits."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 7 << 76  # version
    value = value & ~(0x3 << 62) | 0x2 << 62  # variant
    return uuid.UUID(int=value)


def parse_id(text: object) -> uuid.UUID | None:
    """The id that ``text`` spells, or None: any string may be asked for."""
    if isinstance(text, uuid.UUID):
        return text
    if not isinstance(text, str) or len(text) > 45:  # urn:uuid: and a UUID
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def process_name() -> str:
    """A name for something that drains, unlike any other's: ``host:pid:random``."""
    return f"{socket.gethostname()[:200]}:{os.getpid()}:{os.urandom(4).hex()}"


def user_caller(pk: object) -> str:
    """The caller that a user is, unless the setting CALLER says otherwise."""
    return f"user:{pk}"
