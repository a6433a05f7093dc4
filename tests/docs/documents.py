"""The documents as text: their sections, tables and examples."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.processes import ROOT

README = "README.md"
DOCUMENTS = [README, *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level or above it."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n", text(name), re.MULTILINE)
    assert found, f"{name} has no heading {heading!r}"
    rest = text(name)[found.end() :]
    return re.split(rf"^#{{1,{len(found[1])}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def cells(line: str) -> list[str]:
    """Of a table's row. A bar within code is not the end of a cell."""
    return [cell.strip() for cell in re.split(r"(?<=\s)\|(?=\s)", line.strip("| "))]


def rows(markdown: str) -> Iterator[list[str]]:
    """The cells of its tables' rows whose first cell is code."""
    for line in markdown.splitlines():
        if line.startswith("| `"):
            yield [cell.strip("` ") for cell in cells(line)]


class Example(NamedTuple):
    document: str
    line: int
    language: str
    text: str

    @property
    def label(self) -> str:
        """What the comment in its first line says: a file's name, mostly."""
        first = self.text.split("\n", 1)[0]
        return first.removeprefix("# ") if first.startswith("# ") else ""

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


def examples(name: str, *languages: str) -> list[Example]:
    """The fenced examples of a document in these languages, in their order."""
    whole = text(name)
    return [
        Example(name, whole[: found.start()].count("\n") + 1, found[1], found[2])
        for found in re.finditer(r"^```(\w+)\n(.*?)^```$", whole, re.MULTILINE | re.DOTALL)
        if found[1] in languages
    ]


def example(name: str, label: str) -> str:
    """The Python example of this label, without the comment that says it."""
    found = [known.text for known in examples(name, "python") if known.label == label]
    assert len(found) == 1, f"{name} has {len(found)} examples {label!r}"
    return found[0].split("\n", 1)[1]
