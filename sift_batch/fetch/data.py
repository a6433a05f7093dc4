"""JSON: reading what pages call JSON, and writing it strictly."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from .errors import fail

SAFE_INTEGER = 2**53
_LONE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE = re.compile(r"[\s\ufeff\x1e]*")  # x1e separates the records of a JSON text sequence
_MAX_DIGITS = 4000  # Python refuses to read longer integers


@dataclass(frozen=True)
class Values:
    """The values of a text, in order, and what had to be told about them."""

    values: list[Any]
    constants: bool
    """NaN, an infinity or what a double cannot hold became null."""
    big_integers: bool
    """There are integers that a double cannot hold."""

    def warnings(self) -> list[tuple[str, str]]:
        found = []
        if self.constants:
            found.append(("json_constants", "NaN, Infinity and numbers too large became null"))
        if self.big_integers:
            found.append(
                (
                    "number_precision",
                    "integers over 2^53 lose digits in jq; the program . keeps them",
                )
            )
        return found


class _Reader:
    def __init__(self) -> None:
        self.constants = False
        self.big_integers = False
        self.decoder = json.JSONDecoder(
            parse_int=self._int, parse_float=self._float, parse_constant=self._constant
        )

    def _int(self, digits: str) -> int | float | None:
        if len(digits) < 16:
            return int(digits)
        if len(digits) > _MAX_DIGITS:
            return self._float(digits)
        value = int(digits)
        self.big_integers = self.big_integers or abs(value) > SAFE_INTEGER
        return value

    def _float(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self.constants = True
        return None

    def _constant(self, name: str) -> None:
        self.constants = True


def read_values(text: str) -> Values:
    """The values of JSON, JSON Lines or concatenated JSON.

    Raises ``not_json`` when there is none or something else beside them.
    """
    text = _LONE.sub("\ufffd", text)
    reader = _Reader()
    values: list[Any] = []
    at = _SPACE.match(text).end()  # type: ignore[union-attr]  # matches nothing as well
    try:
        while at < len(text):
            value, at = reader.decoder.raw_decode(text, at)
            values.append(value)
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    except json.JSONDecodeError as bad:
        raise not_json(f"the text is not JSON (line {bad.lineno}, column {bad.colno})") from None
    except RecursionError:
        raise not_json("the JSON is nested too deeply to be read") from None
    if not values:
        raise not_json("the text is empty, not JSON")
    if _SURROGATE_ESCAPE.search(text):
        values = _no_lone_surrogates(values)
    return Values(values, reader.constants, reader.big_integers)


def not_json(message: str) -> Exception:
    return fail(
        "not_json", message, "leave out jq, or give the URL of the JSON itself (an API address)"
    )


def indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def written(values: list[Any]) -> tuple[str, str]:
    """Values as text and its format: one is indented JSON, many are JSON Lines."""
    if len(values) == 1:
        return indented(values[0]), "json"
    return "\n".join(compact(value) for value in values), "jsonl"


def _no_lone_surrogates(values: list[Any]) -> list[Any]:
    # An escape such as \ud800 makes one after the text itself was cleaned.
    text = json.dumps(values, ensure_ascii=False)
    if _LONE.search(text) is None:
        return values
    cleaned: list[Any] = json.loads(_LONE.sub("\ufffd", text))
    return cleaned
