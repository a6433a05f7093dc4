"""Decoded JSON to targets: the one parser that every door and the runner use.

The parser never stops at the first fault: it lists what is wrong with every target, so a
caller mends a list in one go.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from batch.errors import InvalidTargetsError
from batch.text import UNSTORABLE
from batch.words import OPTION_TYPES, Options, Problem, Target

MAX_PROBLEMS = 50
MAX_EXTRA_DEPTH = 30  # what the JSON checks of every supported database still accept

NO_OPTIONS = Options()
JSON_NAMES = {str: "a string", bool: "true or false", dict: "an object"}


def parse_targets(items: Sequence[Any], options: Mapping[str, Any] | None = None) -> list[Target]:
    """The targets that ``items`` describe, in their order.

    An item is a URL (a string), an object ``{"url": ..., "options": {...}}`` or a
    :class:`Target`. ``options`` are defaults, which the options of an item override key by
    key. An integer for ``pages`` becomes its text.

    Raises :class:`InvalidTargetsError` with every problem found (the first 50).
    """
    problems: list[Problem] = []
    defaults = _options(None, {} if options is None else options, problems)
    plain = Options(**defaults) if defaults else NO_OPTIONS
    targets = []
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Sequence):
        problems.append(_wrong_type(None, "targets", "a list"))
    elif not items:
        problems.append(
            Problem(None, "targets", "no_targets", "the list of targets is empty", "add a URL")
        )
    else:
        for index, item in enumerate(items):
            # Most items of a long list are a URL alone; they need none of the work on options.
            if isinstance(item, str) and _is_url_text(item):
                targets.append(Target(item, plain))
            elif (
                isinstance(item, Target)
                and item.options is NO_OPTIONS is plain
                and isinstance(item.url, str)
                and _is_url_text(item.url)
            ):
                targets.append(item)
            else:
                targets.append(_target(index, item, defaults, problems))
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise InvalidTargetsError(problems[:MAX_PROBLEMS])
    return targets


def _is_url_text(text: str) -> bool:
    return bool(text.strip()) and not UNSTORABLE.search(text)


def _target(index: int, item: Any, defaults: Mapping[str, Any], problems: list[Problem]) -> Target:
    given: Any = {}
    if isinstance(item, Target):
        url = item.url
        given = item.options
        if isinstance(given, Options):
            # A zero value was not given: a default may take its place.
            given = {k: v for k, v in vars(given).items() if v != getattr(NO_OPTIONS, k, None)}
    elif isinstance(item, Mapping):
        url = item.get("url", "")
        given = item.get("options", {})
        problems += [
            Problem(
                index,
                _shown(key),
                "unknown_field",
                f"a target has no field {_shown(key)!r}",
                'a target is {"url": ..., "options": {...}}; an option belongs in "options"',
            )
            for key in item
            if key not in ("url", "options")
        ]
    else:
        url = item
    if not isinstance(url, str):
        problems.append(_wrong_type(index, "url", "a string"))
        url = ""
    elif not url.strip():
        problems.append(
            Problem(index, "url", "missing_url", "the target has no URL", "give its URL")
        )
    elif UNSTORABLE.search(url):
        problems.append(_bad_text(index, "url"))
    if given == {} and not defaults:
        return Target(url, NO_OPTIONS)
    own = _options(index, given, problems)
    return Target(url, Options(**{**defaults, **own}))


def _options(index: int | None, given: Any, problems: list[Problem]) -> dict[str, Any]:
    """The given options that are right; what is wrong with the others goes to ``problems``."""
    if not isinstance(given, Mapping):
        problems.append(_wrong_type(index, "options", "an object"))
        return {}
    taken: dict[str, Any] = {}
    for name, value in given.items():
        wanted = OPTION_TYPES.get(name)
        if wanted is None:
            problems.append(
                Problem(
                    index,
                    _shown(name),
                    "unknown_option",
                    f"there is no option {_shown(name)!r}",
                    "the options are " + ", ".join(OPTION_TYPES),
                )
            )
            continue
        if name == "pages" and type(value) in (int, float) and _is_whole(value):
            value = str(int(value))
        if not isinstance(value, wanted):
            problems.append(_wrong_type(index, name, JSON_NAMES[wanted]))
        elif isinstance(value, str) and UNSTORABLE.search(value):
            problems.append(_bad_text(index, name))
        elif isinstance(value, dict) and (fault := next(_faults(value), None)):
            problems.append(
                _bad_text(index, name) if fault == "text" else _wrong_type(index, name, fault)
            )
        else:
            taken[name] = value
    return taken


def _is_whole(number: float) -> bool:
    """JSON has one kind of number: 3.0 is an integer too."""
    return abs(number) < 10**18 and number == int(number)


def _faults(value: Any, depth: int = 1) -> Iterator[str]:
    """What keeps a host's ``extra`` from being stored as JSON and read back the same."""
    if depth > MAX_EXTRA_DEPTH:
        yield f"nested at most {MAX_EXTRA_DEPTH} levels deep"
    elif isinstance(value, str):
        if UNSTORABLE.search(value):
            yield "text"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield "made of finite numbers"
    elif isinstance(value, int):
        if abs(value) >= 10**1000:
            yield "made of numbers of under 1000 digits"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield "an object whose keys are strings"
            yield from _faults(key, depth)
            yield from _faults(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _faults(inner, depth + 1)
    elif value is not None:
        yield "made of JSON values alone"


def _wrong_type(index: int | None, field: str, wanted: str) -> Problem:
    return Problem(
        index, field, "wrong_type", f"{field} must be {wanted}", f"send {field} as {wanted}"
    )


def _bad_text(index: int | None, field: str) -> Problem:
    return Problem(
        index,
        field,
        "bad_text",
        f"{field} holds a NUL character or half of a surrogate pair",
        "send valid Unicode text without U+0000",
    )


def _shown(key: Any) -> str:
    """A key as an answer can carry it: short, and storable."""
    return UNSTORABLE.sub("\ufffd", str(key)[:64])
