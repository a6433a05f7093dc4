"""A fetch function that raises and returns whatever it should not, as the URL says."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from batch.errors import FetchError
from batch.types import FetchContext, Result, Target


class NoText(Exception):
    """Cannot even say what it is."""

    def __str__(self) -> str:
        raise SystemExit("no")

    __repr__ = __str__


class NoTextObject:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class OddText(str):
    """A text that is none."""

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("no part")

    def __str__(self) -> str:
        raise RuntimeError("no text")


class OddDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise KeyError("no items")


class Undecided:
    def __bool__(self) -> bool:
        raise RuntimeError("neither")


class HalfMade(FetchError):
    """A subclass that forgot to call its parent."""

    def __init__(self) -> None:
        pass


class Unreadable(FetchError):
    @property
    def message(self) -> str:  # type: ignore[override]
        raise SystemExit("no message")

    @message.setter
    def message(self, value: str) -> None:
        pass


class Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("no name")


class OfNamelessClass(Exception, metaclass=Nameless):
    pass


def _raise(error: BaseException) -> Any:
    raise error


def _odd_fields(**fields: Any) -> Any:
    error = FetchError("it failed", "mend it")
    for name, value in fields.items():
        setattr(error, name, value)
    raise error


def _chained() -> Any:
    try:
        raise ValueError("the first")
    except ValueError as first:
        raise RuntimeError("the second") from first


def _recurse(depth: int = 0) -> Any:
    return _recurse(depth + 1) + 1


def nested(depth: int) -> Any:
    value: Any = "core"
    for _ in range(depth):
        value = [value]
    return value


def _circle() -> Any:
    circle: dict[str, Any] = {}
    circle["self"] = [circle]
    return circle


RAISING: dict[str, Callable[[], Any]] = {
    "zero-division": lambda: 1 // 0,
    "system-exit": lambda: _raise(SystemExit(3)),
    "system-exit-0": lambda: _raise(SystemExit(0)),
    "keyboard-interrupt": lambda: _raise(KeyboardInterrupt()),
    "cancelled": lambda: _raise(asyncio.CancelledError()),
    "generator-exit": lambda: _raise(GeneratorExit()),
    "stop-iteration": lambda: _raise(StopIteration(1)),
    "base-exception": lambda: _raise(BaseException("plain")),
    "group": lambda: _raise(ExceptionGroup("several", [ValueError("a"), TypeError("b")])),
    "base-group": lambda: _raise(BaseExceptionGroup("several", [SystemExit(1), ValueError()])),
    "recursion": _recurse,
    "chained": _chained,
    "no-text": lambda: _raise(NoText()),
    "object-without-text": lambda: _raise(ValueError(NoTextObject())),
    "nameless": lambda: _raise(OfNamelessClass("x")),
    "nul": lambda: _raise(ValueError("x\0y")),
    "surrogate": lambda: _raise(ValueError("x\udcffy")),
    "unicode": lambda: "\ud800".encode(),
    "lines": lambda: _raise(ValueError("one\ntwo\r\n\tthree\u2028four")),
    "long": lambda: _raise(ValueError("x" * 5_000_000)),
    "empty": lambda: _raise(ValueError()),
    "fetch-error-half-made": lambda: _raise(HalfMade()),
    "fetch-error-unreadable": lambda: _raise(Unreadable("x")),
    "fetch-error-odd-text": lambda: _raise(FetchError(OddText("x"))),
    "fetch-error-odd-hint": lambda: _raise(FetchError("x", OddText("y"))),
    "fetch-error-meta-undecided": lambda: _odd_fields(meta=Undecided()),
    "fetch-error-meta-odd": lambda: _odd_fields(meta=OddDict(a=1)),
    "fetch-error-meta-not-a-dict": lambda: _raise(FetchError("x", meta=5)),  # type: ignore[arg-type]
}

UNFIT: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "text": lambda: "content",
    "dict": lambda: {"content": "x", "meta": {}},
    "tuple": lambda: ("content", {}),
    "class": lambda: Result,
    "exception": lambda: ValueError("returned"),
    "generator": lambda: (i for i in range(3)),
    "content-none": lambda: Result(None),  # type: ignore[arg-type]
    "content-bytes": lambda: Result(b"content"),  # type: ignore[arg-type]
    "content-number": lambda: Result(1),  # type: ignore[arg-type]
    "meta-none": lambda: Result("x", None),  # type: ignore[arg-type]
    "meta-list": lambda: Result("x", []),  # type: ignore[arg-type]
    "nan": lambda: Result("x", {"score": float("nan")}),
    "infinity": lambda: Result("x", {"a": [1, {"score": float("-inf")}]}),
    "bytes": lambda: Result("x", {"a": b"bytes"}),
    "set": lambda: Result("x", {"a": {1, 2}}),
    "decimal": lambda: Result("x", {"a": Decimal("1.5")}),
    "datetime": lambda: Result("x", {"a": datetime.now(UTC)}),
    "complex": lambda: Result("x", {"a": 1j}),
    "object": lambda: Result("x", {"a": NoTextObject()}),
    "function": lambda: Result("x", {"a": print}),
    "number-key": lambda: Result("x", {1: "a"}),  # type: ignore[dict-item]
    "bytes-key": lambda: Result("x", {"a": {b"k": 1}}),
    "object-key": lambda: Result("x", {"a": {NoTextObject(): 1}}),
    "circle": lambda: Result("x", _circle()),
    "deep": lambda: Result("x", {"a": nested(10_000)}),
    "huge-number": lambda: Result("x", {"a": 10**4000}),
}


def misbehave(context: FetchContext, target: Target) -> Any:
    """Does what the last part of the URL says, or succeeds."""
    name = target.url.rsplit("/", 1)[-1]
    return (RAISING.get(name) or UNFIT.get(name) or (lambda: Result("content")))()
