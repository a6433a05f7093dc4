"""The tables of docs/states.md: what moves a job or a target from one state to the next."""

import re
from typing import NamedTuple

from tests.docs.documents import cells, section

Pair = tuple[str, str]


class Row(NamedTuple):
    letter: str
    pairs: set[Pair]
    moves: list[str]


def table(heading: str) -> list[Row]:
    """`moves` without `batch.moves.` in front."""
    found = []
    for line in section("docs/states.md", heading).splitlines():
        if re.match(r"\| \w \|", line):
            letter, arrows, _, moves = cells(line)
            pairs = {(a, b) for a, b in (arrow.split(" → ") for arrow in arrows.split(", "))}
            found.append(Row(letter, pairs, re.findall(r"`batch\.moves\.([\w.]+)`", moves)))
    return found
