"""The one cleaner of text and JSON from outside."""

import time
from typing import Any

import pytest

from batch.text import clean, clean_json, masked, one_line


def test_only_what_no_database_holds_is_replaced() -> None:
    assert clean("a\0b\ud800c\udfffd") == "a\ufffdb\ufffdc\ufffdd"
    assert clean("é🙂\n\x01\ufffe") == "é🙂\n\x01\ufffe"


def test_a_line_is_one_line() -> None:
    assert one_line(" a\r\n\tb\u2028c\x0bd  ") == "a b c d"
    assert one_line("") == ""


def test_a_long_line_is_cut_and_says_so() -> None:
    assert one_line("x" * 2000, 10) == "x" * 9 + "…"
    assert one_line("x" * 10, 10) == "x" * 10


def test_what_a_mask_hides_does_not_come_back_by_the_cut() -> None:
    assert "secret" not in one_line("x" * 980 + " https://user:secret@host/")


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Token {}",
        'authorization: Digest username="ann", response="{}"',
        "headers {{b'Authorization': b'Bearer {}'}}",
        "headers [('Authorization', 'Basic {}')]",
        "Proxy-Authorization=ApiKey {}",
        "X-Amz-Signature={}&X-Amz-Date=1",
        "https://e.com/?a=1&sig={}",
        "https://e.com/?key={}#top",
        "access_key={}, private_key: {}",
        'passphrase: "{}"',
        "jwt={}",
        "https://ann:{}@e.com/",
        "Cookie: session={}",
    ],
)
def test_credentials_are_masked(text: str) -> None:
    line = one_line(text.format("hunter2", "hunter2"))
    assert "hunter2" not in line
    assert "***" in line


@pytest.mark.parametrize(
    "text",
    [
        "https://e.com/?page=2&code_style=x",
        "the key of the house",
        "no authorization was given",
        "https://e.com/@ann/notes",
    ],
)
def test_what_is_no_credential_stays(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000_000,
        "password" * 100_000,
        "://" * 100_000,
        "https://" + "a" * 1_000_000,
        "token=" * 100_000,
        "cookie:" * 100_000,
        "bearer " * 100_000,
        "authorization:" * 100_000,
        "&key=" * 100_000,
        '"' * 1_000_000,
        " " * 5_000_000,
    ],
    ids=lambda text: text[:10],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.monotonic()
    one_line(text)
    masked(text[-20_000:])
    assert time.monotonic() - began < 2


def test_json_is_copied_and_cleaned() -> None:
    given = {"a\0": ["b\ud800", 1, 2.5, None, True, {"c": ()}]}
    assert clean_json(given, "meta") == {"a\ufffd": ["b\ufffd", 1, 2.5, None, True, {"c": []}]}
    assert given == {"a\0": ["b\ud800", 1, 2.5, None, True, {"c": ()}]}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": [1, {"b": {2}}]}, r"^meta\.a\[1\]\.b is of type set"),
        ({"a": float("nan")}, r"^meta\.a is nan"),
        ({"a": float("inf")}, r"^meta\.a is inf"),
        ({"a": {1: 2}}, r"^meta\.a has a key of type int"),
        ({"a": b""}, r"^meta\.a is of type bytes"),
        ({"a": 10**1000}, r"^meta\.a is a number of over 1000 digits"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_json_cannot_hold_is_told_with_its_place(value: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        clean_json(value, "meta")


def test_a_circle_is_found_out() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="in a circle"):
        clean_json(circle, "meta")


@pytest.mark.parametrize(("given", "kept"), [(1e23, int(1e23)), (2.0**53, 2**53), (-0.0, 0.0)])
def test_a_number_is_what_every_database_gives_back(given: float, kept: float) -> None:
    found = clean_json(given, "meta")
    assert (found, type(found)) == (kept, type(kept))
    assert str(found) == str(kept)
