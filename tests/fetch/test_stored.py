"""The fetch under the runner and its worker: what is stored, and what goes on beside trouble."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from batch.runner import Runner
from batch.types import Options, Target
from sift_batch.fetch import FetchConfig, Fetcher
from tests.concurrency import eventually
from tests.rules.jobs import ROOMY, drained, row, rows
from tests.rules.workers import working

from .kit import OTHER, PARAGRAPH, Server, Web, article, reply

LINKED = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",'
    r' "headline": "half \ud800 a pair", "author": {"@type": "Person", "name": "An \u0000 Na"}}'
    "</script>"
)
PAGE = reply(article(PARAGRAPH, OTHER))
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def strings(value: Any) -> Iterator[str]:
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)


def fetcher(*servers: Server, **settings: Any) -> Fetcher:
    """By address, since a look-up of the test's own cannot go to another process."""
    return Fetcher(
        FetchConfig(
            allowed_networks=["127.0.0.0/8"],
            allowed_ports=[server.port for server in servers],
            **{"total_seconds": 20.0, **settings},
        )
    )


def url(server: Server, path: str) -> str:
    return f"http://127.0.0.1:{server.port}{path}"


@pytest.mark.django_db
def test_what_a_database_cannot_hold_is_stored_all_the_same(web: Web) -> None:
    server = web.serve(
        {
            "/nul": reply("a\x00b", "text/plain"),
            "/nul.html": reply(article(PARAGRAPH, "<p>x\x00y</p>", OTHER)),
            "/surrogate": reply(r'{"a": "x\ud800y", "\udfff": 1}', "application/json"),
            "/utf8-of-one": reply(b"x\xed\xa0\x80y" + b" and more words" * 20, "text/plain"),
            "/linked": reply(article(PARAGRAPH, OTHER, head=LINKED)),
            "/etag": reply(b"words", "text/plain", "200 OK", 'ETag: "\x80\x9f"'),
        }
    )
    program = Options(jq='error("x\\u0000y")')
    given = [
        *(Target(url(server, path)) for path in server._answers),
        Target(url(server, "/surrogate"), Options(jq='.a, "\\u0000"')),
        Target(url(server, "/surrogate"), program),
    ]
    job = drained(fetcher(server), given)
    stored = rows(job)
    assert [target.status for target in stored] == ["done"] * 7 + ["failed"]
    contents = [target.result["content"] for target in stored[:7]]
    assert contents[0] == "a\ufffdb"
    assert "bridge" in contents[1]
    assert json.loads(contents[2]) == {"a": "x\ufffdy", "\ufffd": 1}
    assert contents[3].startswith("x")
    assert contents[5] == "words"
    assert contents[6] == '"x\ufffdy"\n"\\u0000"'  # of JSON, where an escape is allowed
    assert stored[7].code == "jq_error"
    for target in stored:
        assert not _UNSTORABLE.search(
            "".join(strings([target.result, target.error, target.details]))
        )


@pytest.mark.only_on("sqlite")
@pytest.mark.django_db
def test_a_program_that_eats_time_or_memory_costs_its_target_alone(web: Web) -> None:
    server = web.serve(reply('{"a": 1}', "application/json"))
    programs = ("[range(1e9)]", ".a", '[range(300000) | "abcdef"]', ".a")
    job = drained(fetcher(server), [Target(url(server, "/"), Options(jq=p)) for p in programs])
    assert [target.code for target in rows(job)] == ["jq_limit", "", "jq_limit", ""]
    assert row(job).status == "partial"


def drip(request: bytes) -> Iterator[Any]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    for _ in range(600):
        yield b"x"
        yield 0.1


@pytest.mark.only_on("sqlite")
@pytest.mark.django_db(transaction=True)
def test_eight_servers_that_drip_do_not_slow_the_targets_of_a_ninth_job(web: Web) -> None:
    server = web.serve({"/drip": drip, "/page": PAGE})
    fetch = fetcher(server, total_seconds=6.0, attempts=1)
    runner = Runner(fetch, ROOMY)
    dripping = [
        runner.submit(f"caller {n}", "", [Target(url(server, "/drip"))]).id for n in range(8)
    ]
    with working(fetch, slots=9):
        eventually(lambda: len(server.requests) == 8, seconds=30)
        started = time.monotonic()
        pages = [Target(url(server, "/page")) for _ in range(3)]
        quick = runner.submit("caller 9", "", pages).id
        eventually(lambda: row(quick).status == "done", seconds=30)
        assert time.monotonic() - started < 5.0
        assert all(row(job).status == "running" for job in dripping)
        eventually(lambda: all(row(job).status == "failed" for job in dripping), seconds=30)
    for job in dripping:
        (target,) = rows(job)
        assert target.code == "timeout"
        # Of the total clock, and no more than a second beyond it.
        assert 5.9 <= target.details["elapsed_ms"] / 1000 <= 7.0
