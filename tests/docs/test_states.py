"""The pictures of docs/states.md show what its tables say, and say it in words as well."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils.module_loading import import_string

from batch.models import JobStatus, TargetState
from tests.docs.states import table
from tests.processes import ROOT

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 2  # of a line's end to the edge of its box
pytestmark = pytest.mark.parametrize(
    ("heading", "picture", "states"),
    [("A job", "job-states", JobStatus), ("A target", "target-states", TargetState)],
)


def drawn(picture: str) -> ElementTree.Element:
    return ElementTree.parse(ROOT / f"docs/images/{picture}.svg").getroot()


def groups(picture: str, attribute: str) -> list[ElementTree.Element]:
    return [group for group in drawn(picture).iter(f"{SVG}g") if attribute in group.attrib]


def part(group: ElementTree.Element, name: str) -> ElementTree.Element:
    found = group.find(f"{SVG}{name}")
    assert found is not None, (group.attrib, name)
    return found


def numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.attrib[name]) for name in names]


def place(group: ElementTree.Element) -> tuple[float, float, float, float]:
    """Of a state's box or dot: left, top, right, bottom."""
    if group.attrib["data-state"] in {"start", "gone"}:
        x, y, r = numbers(part(group, "circle"), "cx", "cy", "r")
        return x - r, y - r, x + r, y + r
    x, y, width, height = numbers(part(group, "rect"), "x", "y", "width", "height")
    return x, y, x + width, y + height


def test_every_state_has_its_place(heading: str, picture: str, states: Any) -> None:
    shown = [group.attrib["data-state"] for group in groups(picture, "data-state")]
    assert sorted({*shown} - {"start", "gone"}) == sorted(states.values)
    assert len(shown) == len(set(shown))
    for group in groups(picture, "data-state"):
        assert part(group, "text").text == group.attrib["data-state"]


def test_every_arrow_is_in_the_table_and_the_reverse(
    heading: str, picture: str, states: Any
) -> None:
    shown = {
        (letter, arrow.attrib["data-from"], arrow.attrib["data-to"])
        for arrow in groups(picture, "data-moves")
        for letter in arrow.attrib["data-moves"].split(", ")
    }
    assert shown == {(row.letter, *pair) for row in table(heading) for pair in row.pairs}


def test_every_arrow_leads_from_box_to_box_and_has_its_letters(
    heading: str, picture: str, states: Any
) -> None:
    places = {group.attrib["data-state"]: place(group) for group in groups(picture, "data-state")}
    for arrow in groups(picture, "data-moves"):
        points = [float(n) for n in re.findall(r"[\d.]+", part(arrow, "path").attrib["d"])]
        for end, (x, y) in (("data-from", points[:2]), ("data-to", points[-2:])):
            left, top, right, bottom = places[arrow.attrib[end]]
            assert left - NEAR <= x <= right + NEAR, (arrow.attrib, end)
            assert top - NEAR <= y <= bottom + NEAR, (arrow.attrib, end)
        assert part(arrow, "text").text == arrow.attrib["data-moves"]


def test_the_picture_is_told_in_words_too(heading: str, picture: str, states: Any) -> None:
    root = drawn(picture)
    named = " ".join(part(root, name).attrib["id"] for name in ("title", "desc"))
    assert (root.attrib["role"], root.attrib["aria-labelledby"]) == ("img", named)
    words = set(re.findall(r"\w+", part(root, "desc").text or ""))
    assert {*states.values, *(row.letter for row in table(heading))} <= words


def test_every_move_exists(heading: str, picture: str, states: Any) -> None:
    for row in table(heading):
        assert row.moves
        for move in row.moves:
            assert callable(import_string(f"batch.moves.{move}"))
