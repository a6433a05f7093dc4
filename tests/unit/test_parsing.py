"""Decoded JSON to targets: each fault names its index, its field and its code."""

from typing import Any

import pytest

from batch.errors import InvalidTargetsError
from batch.types import Options, Target, parse_targets


def faults(items: Any, options: Any = None) -> list[tuple[int | None, str, str]]:
    with pytest.raises(InvalidTargetsError, match=r"^invalid targets") as caught:
        parse_targets(items, options)
    for problem in caught.value.problems:
        assert problem.message
        assert problem.hint
    return [(one.index, one.field, one.code) for one in caught.value.problems]


def test_a_url_an_object_and_a_target_are_all_targets() -> None:
    given = ["u", {"url": "u"}, {"url": "u", "options": {}}, Target("u")]
    assert parse_targets(given) == [Target("u")] * 4


def test_options_of_a_target_override_the_defaults_key_by_key() -> None:
    items = [{"url": "a", "options": {"grep": "own", "context": False}}, "b"]
    parsed = parse_targets(items, {"grep": "all", "mode": "text", "context": True})
    assert parsed[0].options == Options(mode="text", grep="own", context=False)
    assert parsed[1].options == Options(mode="text", grep="all", context=True)


def test_an_empty_option_overrides_a_default_too() -> None:
    (parsed,) = parse_targets([{"url": "a", "options": {"mode": ""}}], {"mode": "text"})
    assert parsed.options == Options()


@pytest.mark.parametrize("items", [[], ()])
def test_an_empty_list_has_a_code_and_no_index(items: Any) -> None:
    assert faults(items) == [(None, "targets", "no_targets")]


@pytest.mark.parametrize("items", [None, 5, "https://e.com/", {"url": "u"}, b"u", True, iter("u")])
def test_what_is_no_list_is_of_the_wrong_type(items: Any) -> None:
    assert faults(items) == [(None, "targets", "wrong_type")]


@pytest.mark.parametrize("url", ["", " ", "\t\n", "\u3000"])
def test_an_empty_url_is_missing(url: str) -> None:
    assert faults(["a", url]) == [(1, "url", "missing_url")]
    assert faults([{"url": url}]) == [(0, "url", "missing_url")]


def test_an_object_without_a_url_is_missing_it() -> None:
    assert faults([{}]) == [(0, "url", "missing_url")]
    assert faults([{"options": {}}]) == [(0, "url", "missing_url")]


@pytest.mark.parametrize("item", [None, 5, True, [], ["u"], 1.5, b"u"])
def test_an_item_that_is_no_target_is_of_the_wrong_type(item: Any) -> None:
    assert faults(["a", item]) == [(1, "url", "wrong_type")]


@pytest.mark.parametrize("url", [None, 5, True, [], {}, b"u"])
def test_a_url_that_is_no_text_is_of_the_wrong_type(url: Any) -> None:
    assert faults([{"url": url}]) == [(0, "url", "wrong_type")]


@pytest.mark.parametrize("text", ["a\0b", "\0", "a\ud800", "\udfff"])
def test_text_that_no_database_holds_is_refused_in_a_url_and_in_every_option(text: str) -> None:
    assert faults([text + "x"]) == [(0, "url", "bad_text")]
    for name in ("mode", "question", "pages", "grep", "jq"):
        assert faults([{"url": "u", "options": {name: text}}]) == [(0, name, "bad_text")]
        assert faults(["u"], {name: text}) == [(None, name, "bad_text")]
    assert faults([{"url": "u", "options": {"extra": {text: 1}}}]) == [(0, "extra", "bad_text")]
    deep = {"extra": {"a": [{"b": text}]}}
    assert faults([{"url": "u", "options": deep}]) == [(0, "extra", "bad_text")]


@pytest.mark.parametrize("name", ["Mode", "timeout", "", "url", "é", "x" * 1000])
def test_an_unknown_option_is_named(name: str) -> None:
    assert faults([{"url": "u", "options": {name: "x"}}]) == [(0, name[:64], "unknown_option")]
    assert faults(["u"], {name: 1}) == [(None, name[:64], "unknown_option")]


@pytest.mark.parametrize("key", [5, None, True, ("a",), "a\0b"])
def test_odd_keys_are_unknown_and_do_no_harm(key: Any) -> None:
    assert faults([{"url": "u", "options": {key: 1}}])[0][2] == "unknown_option"
    assert faults([{"url": "u", key: 1}])[0][2] == "unknown_field"


@pytest.mark.parametrize("field", ["mode", "URL", "option", "idx"])
def test_an_unknown_field_is_named(field: str) -> None:
    assert faults([{"url": "u", field: "x"}]) == [(0, field, "unknown_field")]


@pytest.mark.parametrize("options", [None, [], "x", 5, True])
def test_options_that_are_no_object_are_of_the_wrong_type(options: Any) -> None:
    assert faults([{"url": "u", "options": options}]) == [(0, "options", "wrong_type")]
    if options is not None:
        assert faults(["u"], options) == [(None, "options", "wrong_type")]


WRONG: list[tuple[str, Any]] = [
    *((name, value) for name in ("mode", "question", "grep", "jq") for value in (None, 5, True)),
    *((name, ["x"]) for name in ("mode", "question", "pages", "grep", "jq")),
    *(("pages", value) for value in (None, True, 1.5)),
    *((name, value) for name in ("context", "recover") for value in (None, 0, 1, "true", [])),
    *(("extra", value) for value in (None, [], "x", 5)),
    ("extra", {"a": float("nan")}),
    ("extra", {"a": float("inf")}),
    ("extra", {"a": {1: 2}}),
    ("extra", {"a": Ellipsis}),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=lambda value: ascii(value)[:30])
def test_an_option_of_the_wrong_type_is_named(name: str, value: Any) -> None:
    assert faults([{"url": "u", "options": {name: value}}]) == [(0, name, "wrong_type")]
    assert faults(["u"], {name: value}) == [(None, name, "wrong_type")]


def test_a_target_made_by_hand_is_looked_at_as_well() -> None:
    assert faults([Target("")]) == [(0, "url", "missing_url")]
    assert faults([Target(None)]) == [(0, "url", "wrong_type")]  # type: ignore[arg-type]
    made = Target("u", Options(mode=5, context="yes"))  # type: ignore[arg-type]
    assert faults([made]) == [(0, "mode", "wrong_type"), (0, "context", "wrong_type")]
    assert faults([Target("u", None)]) == [(0, "options", "wrong_type")]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "text"), [(1, "1"), (0, "0"), (-3, "-3"), (3.0, "3"), ("1-3", "1-3")]
)
def test_a_number_of_pages_becomes_its_text(given: Any, text: str) -> None:
    (parsed,) = parse_targets([{"url": "u", "options": {"pages": given}}])
    assert parsed.options.pages == text


def test_a_number_of_pages_beyond_reason_does_no_harm() -> None:
    assert faults([{"url": "u", "options": {"pages": 10**5000}}]) == [(0, "pages", "wrong_type")]


def test_every_fault_is_told_at_once() -> None:
    items = ["", {"url": "u", "options": {"mode": 5, "x": 1}}, None, {"url": "u", "y": 1}]
    assert faults(items, {"jq": 5}) == [
        (None, "jq", "wrong_type"),
        (0, "url", "missing_url"),
        (1, "mode", "wrong_type"),
        (1, "x", "unknown_option"),
        (2, "url", "wrong_type"),
        (3, "y", "unknown_field"),
    ]


def test_of_very_many_faults_the_first_fifty_are_told() -> None:
    assert len(faults([""] * 100_000)) == 50


def test_extra_of_any_depth_does_no_harm() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert faults([{"url": "u", "options": {"extra": deep}}]) == [(0, "extra", "wrong_type")]
    circle: dict[str, Any] = {}
    circle["a"] = circle
    assert faults([{"url": "u", "options": {"extra": circle}}]) == [(0, "extra", "wrong_type")]


def test_nothing_that_was_given_is_changed() -> None:
    items = [{"url": "u", "options": {"pages": 5}}]
    defaults = {"mode": "text"}
    parse_targets(items, defaults)
    assert items == [{"url": "u", "options": {"pages": 5}}]
    assert defaults == {"mode": "text"}
