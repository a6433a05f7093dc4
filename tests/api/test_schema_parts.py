"""What the OpenAPI document says of each call: examples, headers, links, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from batch.api.codes import CODES
from batch.api.shapes import STORABLE, URL
from batch.errors import InvalidTargetsError
from batch.types import parse_targets

pytestmark = pytest.mark.django_db

Call = dict[str, Any]
PUBLIC = ("health", "alive")


@pytest.fixture
def document(as_ann: APIClient) -> dict[str, Any]:
    return as_ann.get("/api/schema/").json()


@pytest.fixture
def calls(document: dict[str, Any]) -> dict[str, Call]:
    return {
        call["operationId"]: call for path in document["paths"].values() for call in path.values()
    }


def described(call: Call) -> Iterator[Any]:
    """Whatever has a schema and may have examples: parameters, the body, the answers."""
    yield from call.get("parameters", [])
    for part in (call.get("requestBody", {}), *call["responses"].values()):
        yield from part.get("content", {}).values()


def values(part: Any, document: dict[str, Any]) -> list[Any]:
    known = document["components"]["examples"]
    return [
        (known[shown["$ref"].rpartition("/")[2]] if "$ref" in shown else shown)["value"]
        for shown in part.get("examples", {}).values()
    ]


def test_every_example_is_what_its_schema_says(
    document: dict[str, Any], calls: dict[str, Call]
) -> None:
    seen = 0
    for call in calls.values():
        for part in described(call):
            whole = {**part["schema"], "components": document["components"]}
            for value in values(part, document):
                Draft202012Validator(whole).validate(value)
                seen += 1
    assert seen > 100


def test_every_call_shows_what_goes_in_and_what_comes_out(calls: dict[str, Call]) -> None:
    for name, call in calls.items():
        for parameter in call.get("parameters", []):
            assert "examples" in parameter or parameter["name"] == "cursor", name
        for body in call.get("requestBody", {}).get("content", {}).values():
            assert body["examples"], name
        for code, answer in call["responses"].items():
            for media, body in answer.get("content", {}).items():
                # Nothing can be shown of a zip.
                assert "examples" in body or media == "application/zip", (name, code)


def test_every_code_of_an_error_is_in_the_document_under_its_status(calls: dict[str, Call]) -> None:
    told: dict[str, set[str]] = {}
    for call in calls.values():
        for status, answer in call["responses"].items():
            problem = answer.get("content", {}).get("application/problem+json", {})
            for name in problem.get("examples", ()):
                told.setdefault(name, set()).add(status)
    wanted = {
        code: {str(int(kind.status))}
        for code, kind in CODES.items()
        if code != "method_not_allowed"  # of calls that are none
    }
    assert told == wanted


def test_headers_are_told_where_they_come(calls: dict[str, Call]) -> None:
    answers = {name: call["responses"] for name, call in calls.items()}
    for code in ("200", "202"):
        assert "Location" in answers["submit_job"][code]["headers"]
    for code in ("200", "304"):
        assert "ETag" in answers["get_job"][code]["headers"]
    for name, answer in answers.items():
        assert "headers" not in answer["500"]
        if name in PUBLIC:
            assert "401" not in answer
            assert "429" not in answer
            continue
        assert answer["429"]["headers"]["Retry-After"]["schema"] == {"type": "integer"}
        assert "WWW-Authenticate" in answer["401"]["headers"]


def test_credentials_are_asked_for_by_all_calls_but_those_of_probes(
    calls: dict[str, Call],
) -> None:
    free = {name for name, call in calls.items() if {} in call["security"]}
    assert free == set(PUBLIC)
    assert {name for name, call in calls.items() if call["tags"] == ["health"]} == free


def test_links_lead_from_a_new_job_to_calls_that_there_are(calls: dict[str, Call]) -> None:
    links = calls["submit_job"]["responses"]["202"]["links"]
    assert set(links) == {"get_job", "list_targets", "cancel_job"} <= set(calls)
    assert links["get_job"]["parameters"] == {"job_id": "$response.body#/id"}


def test_an_unknown_field_is_ruled_out(document: dict[str, Any]) -> None:
    shapes = document["components"]["schemas"]
    for name in ("Submission", "NewTarget", "NewOptions"):
        assert shapes[name]["additionalProperties"] is False


def test_extra_options_are_in_it_where_the_host_takes_some(
    as_ann: APIClient, document: dict[str, Any], settings: Any
) -> None:
    settings.BATCH = {"EXTRA_OPTIONS": True}
    with_extra = as_ann.get("/api/schema/").json()
    shapes = [each["components"]["schemas"]["NewOptions"] for each in (document, with_extra)]
    assert ["extra" in shape["properties"] for shape in shapes] == [False, True]


def test_the_patterns_take_exactly_the_characters_that_are_taken() -> None:
    def taken(url: str) -> bool:
        try:
            return bool(parse_targets([url]))
        except InvalidTargetsError:
            return False

    for char in map(chr, (*range(0xD800), *range(0xE000, 0x10000))):
        assert bool(re.search(URL, char)) is taken(char), hex(ord(char))
        assert bool(re.search(STORABLE, char)) is (char != "\0"), hex(ord(char))
