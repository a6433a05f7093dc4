"""The pipeline as a whole: order, facts, limits, and what it is to its callers."""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from batch.errors import FetchError
from batch.types import FetchContext, Options, Target
from sift_batch.fetch import FetchConfig, Fetcher, validate
from sift_batch.fetch.meta import ALWAYS

from .kit import OTHER, PARAGRAPH, Web, article, error_of, fetch, redirect, reply, warnings_of

ROOT = Path(__file__).parents[2]
PAGE = reply(article(PARAGRAPH, OTHER))


def test_pages_jq_grep_and_question_narrow_in_that_order(web: Web) -> None:
    text = {"text": "# One\n\nboats are here\n\n# Two\n\ncaps are here\n\nnothing"}
    result = web.fetch(
        reply(json.dumps(text), "application/json"),
        pages="1",
        jq=".text",
        grep="are here",
        question="caps",
    )
    assert "7:caps are here" in result.content
    assert warnings_of(result) == ["pages_ignored"]


def test_every_fact_is_there_and_json_can_hold_it(web: Web) -> None:
    server = web.serve({"/": redirect("/page"), "/page": PAGE})
    meta = web.fetch(server).meta
    assert set(ALWAYS) <= set(meta)
    assert json.loads(json.dumps(meta, allow_nan=False)) == meta
    body = article(PARAGRAPH, OTHER).encode()
    assert meta["requested_url"] == f"http://page.test:{server.port}/"
    assert meta["final_url"] == f"http://page.test:{server.port}/page"
    assert meta["redirects"] == [{"status": 302, "url": f"http://page.test:{server.port}/"}]
    assert meta["status_code"] == 200
    assert meta["content_type"] == "text/html"
    assert meta["bytes"] == meta["bytes_wire"] == len(body)
    assert meta["sha256"] == hashlib.sha256(body).hexdigest()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", meta["fetched_at"])
    assert meta["attempts"] == 1
    assert meta["elapsed_ms"] >= 0
    assert meta["truncated"] is False
    assert meta["truncated_reason"] is None
    assert meta["warnings"] == []


def test_content_over_the_limit_is_cut_and_that_is_told(web: Web) -> None:
    result = web.fetch(reply("x" * 200, "text/plain"), settings={"max_content_chars": 50})
    assert result.content == "x" * 50
    assert result.meta["content_chars"] == 50
    assert (result.meta["truncated"], result.meta["truncated_reason"]) == (True, "content_limit")


def test_what_a_database_cannot_hold_is_replaced(web: Web) -> None:
    result = web.fetch(reply("a\x00b", "text/plain; charset=utf-8"), mode="raw")
    assert result.content == "a\ufffdb"


def test_a_failure_tells_what_is_known(web: Web) -> None:
    error = error_of(lambda: web.fetch([redirect("/x"), reply("", "text/html", "404 No")]))
    assert error.meta is not None
    assert error.meta["status_code"] == 404
    assert error.meta["final_url"].endswith("/x")
    assert error.meta["redirects"][0]["status"] == 302
    assert error.meta["attempts"] == 1
    assert json.dumps(error.meta, allow_nan=False)


def test_a_fault_of_our_own_has_a_reference_that_the_log_has_too(
    web: Web, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise KeyError("/secret/path")

    monkeypatch.setattr("sift_batch.fetch.pipeline.visit", broken)
    with caplog.at_level(logging.ERROR, "sift_batch.fetch"):
        error = error_of(lambda: web.fetch(PAGE))
    assert error.code == "internal"
    assert "secret" not in f"{error.message} {error.hint} {error.meta}"
    (record,) = caplog.records
    assert record.reference in error.message  # type: ignore[attr-defined]
    assert record.exc_info


def broken(*args: object, **kwargs: object) -> None:
    raise KeyError("of the extractor")


def test_an_extraction_that_breaks_costs_no_page_and_is_told(
    web: Web, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sift_batch.fetch.html.convert.article", broken)
    result = web.fetch(PAGE)
    assert "bridge" in result.content
    assert [warning["code"] for warning in result.meta["warnings"]] == ["main_content_not_found"]
    assert error_of(lambda: web.fetch(PAGE, mode="article")).code == "too_complex"
    assert caplog.messages == ["article_extraction_failed"] * 2


def test_metadata_that_cannot_be_searched_cost_no_page_and_that_is_told(
    web: Web, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sift_batch.fetch.html.head._found", broken)
    result = web.fetch(PAGE)
    assert "bridge" in result.content
    assert "metadata_unreadable" in [warning["code"] for warning in result.meta["warnings"]]
    assert caplog.messages == ["page_metadata_unreadable"]


def test_a_bad_option_that_was_not_checked_fails_its_target(web: Web) -> None:
    assert error_of(lambda: web.fetch(PAGE, mode="nonsense")).code == "bad_mode"


def test_a_fetcher_survives_pickling(web: Web) -> None:
    server = web.serve(PAGE)
    config = FetchConfig(allowed_networks=["127.0.0.0/8"], allowed_ports=[server.port])
    copy = pickle.loads(pickle.dumps(Fetcher(config)))
    result = copy(FetchContext(), Target(f"http://127.0.0.1:{server.port}/"))
    assert "bridge" in result.content


def test_a_fetcher_can_be_called_from_several_threads(web: Web) -> None:
    server = web.serve(lambda request: reply(request.split(b" ")[1], "text/plain"))

    def get(number: int) -> bool:
        return web.fetch(server, f"/{number}").content == f"/{number}"

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(get, range(40)))


def test_problems_are_listed_by_target_and_the_first_fifty_of_them() -> None:
    bad = Options(mode="x", pages="0", grep="(", jq="(", extra={"a": 1})
    problems = validate([Target("http://a.test/"), Target("http://b.test/", bad)])
    assert [(p.index, p.field, p.code) for p in problems] == [
        (1, "mode", "bad_mode"),
        (1, "pages", "bad_pages"),
        (1, "grep", "bad_regex"),
        (1, "jq", "bad_jq"),
        (1, "extra", "unknown_option"),
    ]
    assert all(p.message and p.hint for p in problems)
    assert len(validate([Target("http://b.test/", bad)] * 30)) == 50


def test_a_bad_url_is_not_a_problem_of_the_submit() -> None:
    assert validate([Target("nonsense"), Target("ftp://a.test/")]) == []


@pytest.mark.parametrize(
    "setting",
    [
        {"allowed_networks": "10.0.0.0/8"},
        {"allowed_networks": ["10.0.0.1/8"]},
        {"allowed_networks": ["nonsense"]},
        {"allowed_ports": []},
        {"allowed_ports": [0]},
        {"allowed_ports": ["80"]},
        {"total_seconds": 0},
        {"total_seconds": "60"},
        {"total_seconds": float("inf")},
        {"max_pages": -1},
        {"max_pages": 1.5},
        {"attempts": True},
        {"robots": "yes"},
        {"archive_url": "ftp://archive.test"},
        {"user_agent": "two\nlines"},
        {"ca_file": "/nowhere/ca.pem"},
        {"ranker": "no.such.module"},
        {"ranker": "sift_batch.fetch.rank.nothing"},
    ],
)
def test_a_setting_that_cannot_be_used_is_named(setting: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(setting))):
        FetchConfig(**setting)  # type: ignore[arg-type]


def test_the_pipeline_needs_no_django() -> None:
    code = (
        "import sys; sys.modules['django'] = None\n"
        "from sift_batch.fetch import FetchConfig, Fetcher, validate\n"
        "from batch.types import FetchContext, Target\n"
        "try: Fetcher(FetchConfig())(FetchContext(), Target('http://127.0.0.1/'))\n"
        "except Exception as error: print(error.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "blocked_address"


def test_the_user_agent_names_the_project_and_can_be_set(web: Web) -> None:
    server = web.serve(PAGE)
    web.fetch(server)
    web.fetch(server, settings={"user_agent": "other/1"})
    assert b"user-agent: sift-batch" in server.requests[0].lower()
    assert b"user-agent: other/1" in server.requests[1].lower()


def test_errors_travel_between_processes() -> None:
    error = error_of(lambda: fetch("http://127.0.0.1/"))
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, FetchError)
    assert (copy.code, copy.meta) == (error.code, error.meta)
