"""What the pipeline tells of itself, step by step."""

from __future__ import annotations

import gzip
import logging

import pytest

from .kit import Web, article, error_of, redirect, reply

P = "<p>The stone of the bridge came from the old quarry above the mill.</p>" * 12


def steps_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "sift_batch.fetch"]


def fact(caplog: pytest.LogCaptureFixture, event: str, name: str) -> object:
    (record,) = [r for r in caplog.records if r.getMessage() == event]
    return getattr(record, name)


def test_each_step_is_told_in_the_order_of_the_pipeline(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    body = gzip.compress(article(P).encode())
    answers = [redirect("/page"), reply(body, "text/html", "200 OK", "Content-Encoding: gzip")]
    with caplog.at_level(logging.DEBUG, "sift_batch.fetch"):
        web.fetch(answers, grep="quarry", question="the quarry?")
    assert steps_of(caplog) == [
        "checked", "guarded", "connected", "redirected", "guarded", "connected", "answered",
        "decoded", "sniffed", "read", "converted", "grep", "question", "capped",
    ]  # fmt: skip
    assert fact(caplog, "answered", "wire_bytes") == len(body)
    assert fact(caplog, "decoded", "encoding") == "gzip"
    assert fact(caplog, "sniffed", "type") == "html"
    assert fact(caplog, "grep", "matches") == 12


def test_a_step_that_fails_is_not_told_of(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    picture = reply(b"\x89PNG\r\n\x1a\n" + bytes(100), "image/png")
    with caplog.at_level(logging.DEBUG, "sift_batch.fetch"):
        assert error_of(lambda: web.fetch(picture)).code == "unsupported_type"
    assert steps_of(caplog)[-1] == "sniffed"


def test_nothing_secret_is_in_a_step(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    away = redirect("http://user:secret@page.test:1/")
    with caplog.at_level(logging.DEBUG, "sift_batch.fetch"):
        assert error_of(lambda: web.fetch(away)).code == "blocked_redirect"
    told = [r.__dict__ for r in caplog.records if r.name == "sift_batch.fetch"]
    assert "redirected" in str(told)
    assert "secret" not in str(told)
