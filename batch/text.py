"""The one cleaner of text and JSON that come from outside.

What a page, a fetch function or an exception says is stored only after it went through here,
so every database stores the same: PostgreSQL refuses NUL, SQLite lone surrogates, each JSON
column its own set of numbers and depths.
"""

from __future__ import annotations

import math
import re
from typing import Any

MAX_DEPTH = 30  # MariaDB's JSON_VALID stops at 32 levels; the outermost ones are ours
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_USERINFO = re.compile(r"(?<=://)[^/\s?#]*@")
_COOKIE = re.compile(r"(?i)(cookie2?[\"']?\s*[:=]\s*)[^\r\n]+")
_AUTHORIZATION = re.compile(
    r"(?i)((?:proxy-)?authorization[\"']?\s*[=:,]\s*b?[\"']?)"
    r"(?:digest\s[^\r\n]+|(?:[a-z][\w-]*\s+)?[^\s\"',;)}\]]+)"
)
_IN_QUERY = re.compile(r"(?i)([?&](?:key|sig|auth|code|session)=)[^&\s#\"'<>]+")
_BEARER = re.compile(r"(?i)\b(bearer\s+)(?=[^\s\"',;]*\d)[^\s\"',;]+")
_SECRET = re.compile(
    r"(?i)(password|passwd|passphrase|pwd|secret|token|jwt|credential|signature"
    r"|(?:api|access|private)[_-]?key)"
    r"(\"?'?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;&)}\]]+)"
)


def clean(text: str) -> str:
    """``text`` with each NUL and lone surrogate replaced by U+FFFD."""
    return UNSTORABLE.sub("\ufffd", text)


def masked(text: str) -> str:
    """``text`` without the credentials that URLs and error messages tend to carry."""
    text = _COOKIE.sub(r"\1***", _USERINFO.sub("***@", text))
    text = _IN_QUERY.sub(r"\1***", _AUTHORIZATION.sub(r"\1***", text))
    return _BEARER.sub(r"\1***", _SECRET.sub(r"\1\2***", text))


def one_line(text: str, limit: int = 1000) -> str:
    """``text`` clean, masked, on one line and cut at ``limit`` characters."""
    # The cut comes before the mask's work too: an error of many megabytes is not worth more.
    line = " ".join(masked(clean(text[: 4 * limit])).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def clean_json(value: Any, where: str, depth: int = 1) -> Any:
    """A copy of ``value`` that JSON and every database can hold, its texts clean.

    Raises ``ValueError`` that names the place and the type of what they cannot hold.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean(str.__str__(value))
    if isinstance(value, int):
        if abs(value) >= 10**1000:
            raise ValueError(f"{where} is a number of over 1000 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {float(value)}, which JSON cannot hold")
        # PostgreSQL gives whole numbers back as integers, so that is what they are everywhere.
        return int(value) if abs(value) >= 2**53 else float(value) + 0.0
    if depth > MAX_DEPTH:
        raise ValueError(f"{where[:80]} is nested over {MAX_DEPTH} levels deep, or in a circle")
    if isinstance(value, dict):
        return {
            _key(key, where): clean_json(inner, f"{where}.{clean(str(key)[:40])}", depth + 1)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [
            clean_json(inner, f"{where}[{index}]", depth + 1) for index, inner in enumerate(value)
        ]
    raise ValueError(f"{where} is of type {type(value).__name__}, which JSON cannot hold")


def _key(key: Any, where: str) -> str:
    if not isinstance(key, str):
        raise ValueError(f"{where} has a key of type {type(key).__name__}; JSON keys are strings")
    return clean(str.__str__(key))
