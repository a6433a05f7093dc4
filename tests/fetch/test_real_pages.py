"""Pages as they are found in the wild, through the whole pipeline."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from batch.types import Result

from .kit import Web, error_of, reply, warnings_of
from .pages import FOLDER, KINDS, Kind

READ = [kind for kind in KINDS if kind.error is None]
REFUSED = [kind for kind in KINDS if kind.error is not None]
ABSOLUTE = ("http://", "https://", "mailto:", "tel:")
TIMES = ("fetched_at", "elapsed_ms")
SENTENCE_CHARS = 40
"""Shorter lines may well be said twice."""
_CODE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^\s*`{3,}.*$", re.MULTILINE)
_LEAD = re.compile(r"^\s*(?:\d+\.|[-*>#]+)\s+", re.MULTILINE)
_TAG_OF_OURS = re.compile(r"<br>|</?su[pb]>")
_TARGET = re.compile(r"\]\(([^)]*)\)?")
_NO_WORD = re.compile(r"[\W_]+")

of_each_kind = pytest.mark.parametrize("kind", READ, ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def nothing_breaks_on_the_way(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What breaks in a reading costs no page, and would not be seen."""
    caplog.set_level(logging.INFO, "sift_batch.fetch")
    yield
    assert [r.getMessage() for r in caplog.get_records("call") if r.exc_info] == []


def read(web: Web, kind: Kind, mode: str = "auto", port: int = 0) -> Result:
    answer = reply(kind.body, kind.content_type, kind.status)
    return web.fetch(web.serve({"/dir/page": answer}, port=port), "/dir/page", mode=mode)


def words(text: str) -> str:
    """A text without marks and spaces, which differ between modes."""
    for mark in (_FENCE, _TAG_OF_OURS, _LEAD):
        text = mark.sub("", text)
    return _NO_WORD.sub("", _TARGET.sub("]", text))


def in_order(content: str, parts: list[str]) -> None:
    at = 0
    for part in parts:
        found = content.find(part, at)
        assert found >= 0, f"{'later' if part in content else 'nowhere'}: {part!r}\n\n{content}"
        at = found + len(part)


@of_each_kind
def test_a_page_says_what_it_has_to_say_in_its_order_and_nothing_else(web: Web, kind: Kind) -> None:
    result = read(web, kind)
    in_order(result.content + "\n", list(kind.must))
    assert [part for part in kind.in_auto if part not in result.content] == []
    assert [part for part in kind.must_not + kind.never if part in result.content] == []


@of_each_kind
def test_what_is_told_about_a_page_is_right(web: Web, kind: Kind) -> None:
    result = read(web, kind)
    assert {key: result.meta[key] for key in kind.meta} == kind.meta
    assert result.meta["mode_used"] == kind.mode_used
    assert warnings_of(result) == list(kind.warnings)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        pytest.param(kind, mode, id=f"{kind.name}-{mode}")
        for kind in READ
        for mode in ("article", "full", "text")
        if kind.article or mode != "article"
    ],
)
def test_no_mode_loses_or_shuffles_what_a_page_says(web: Web, kind: Kind, mode: str) -> None:
    content = read(web, kind, mode).content
    in_order(words(content), [words(part) for part in kind.must])
    assert [part for part in kind.never if part in content] == []
    if mode != "full":
        assert [part for part in kind.must_not if part in content] == []


@of_each_kind
@pytest.mark.parametrize("mode", ["auto", "text"])
def test_nothing_is_said_twice(web: Web, kind: Kind, mode: str) -> None:
    lines = Counter(words(line) for line in read(web, kind, mode).content.split("\n"))
    twice = [line for line, count in lines.items() if count > 1 and len(line) > SENTENCE_CHARS]
    assert twice == []


@of_each_kind
@pytest.mark.parametrize("mode", ["auto", "full"])
def test_links_can_be_followed_from_anywhere(web: Web, kind: Kind, mode: str) -> None:
    content = _CODE.sub("", read(web, kind, mode).content)
    targets = _TARGET.findall(content)
    assert [
        t for t in targets if not t.startswith(("http://", "https://", "mailto:", "tel:"))
    ] == []
    assert "[](" not in content


@of_each_kind
def test_two_readings_of_a_page_are_the_same(web: Web, kind: Kind) -> None:
    server = web.serve({"/dir/page": reply(kind.body, kind.content_type, kind.status)})
    one, two = (web.fetch(server, "/dir/page") for _ in range(2))
    assert one.content == two.content
    facts: list[dict[str, Any]] = [
        {key: value for key, value in result.meta.items() if key not in TIMES}
        for result in (one, two)
    ]
    assert facts[0] == facts[1]


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.name)
@pytest.mark.parametrize("mode", ["auto", "article", "full", "text"])
def test_a_page_that_is_none_is_named_for_what_it_is(web: Web, kind: Kind, mode: str) -> None:
    error = error_of(lambda: read(web, kind, mode))
    assert error.code == kind.error
    assert error.hint


@pytest.mark.long
def test_a_table_of_almost_five_megabytes_is_read_in_time(web: Web) -> None:
    row = '<tr class="even"><td>{0}</td><td><a href="/w/{0}">weir</a></td><td>2.31</td></tr>'
    rows = "".join(row.format(number) for number in range(58_000))
    page = f"<h1>Weirs</h1><table><tr><th>No<th>What<th>Metres</tr>{rows}</table>"
    assert 4_800_000 < len(page) < 5_000_000
    started = time.monotonic()
    result = web.fetch(reply(page), settings={"total_seconds": 40.0})
    assert time.monotonic() - started < 20
    assert "| No | What | Metres |\n| --- | --- | --- |\n| 0 |" in result.content
    assert result.meta["truncated_reason"] == "content_limit"


def test_every_page_of_the_folder_is_read() -> None:
    files = {path.name for path in FOLDER.iterdir() if path.suffix in (".html", ".xml")}
    assert files == {kind.file.name for kind in KINDS}
