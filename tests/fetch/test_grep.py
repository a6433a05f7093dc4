"""The options grep and context."""

from __future__ import annotations

import time
from typing import Any

import pytest

from batch.types import Options, Target
from sift_batch.fetch import validate

from .kit import Web, error_of, reply, warnings_of
from .pdfs import pdf

LINES = "\n".join(["alpha", "beta one", "gamma", "delta", "epsilon", "zeta", "eta", "beta two"])


def grep(web: Web, pattern: str, text: str = LINES, **options: Any) -> str:
    return web.fetch(reply(text, "text/plain"), grep=pattern, **options).content


def test_matching_lines_come_with_their_numbers(web: Web) -> None:
    result = web.fetch(reply(LINES, "text/plain"), grep="beta")
    assert result.content == "2:beta one\n8:beta two"
    assert result.meta["grep_matches"] == 2
    assert result.meta["content_format"] == "text"


def test_case_counts_unless_the_pattern_says_otherwise(web: Web) -> None:
    assert grep(web, "BETA") == ""
    assert grep(web, "(?i)BETA").startswith("2:")


def test_no_match_is_success_with_a_warning(web: Web) -> None:
    result = web.fetch(reply(LINES, "text/plain"), grep="nowhere")
    assert result.content == ""
    assert result.meta["grep_matches"] == 0
    assert warnings_of(result) == ["no_match"]


def test_context_shows_two_lines_on_each_side(web: Web) -> None:
    assert grep(web, "beta", context=True) == (
        "1-alpha\n2:beta one\n3-gamma\n4-delta\n--\n6-zeta\n7-eta\n8:beta two"
    )


def test_groups_that_touch_are_one(web: Web) -> None:
    assert grep(web, "alpha|epsilon|zeta", context=True) == (
        "1:alpha\n2-beta one\n3-gamma\n4-delta\n5:epsilon\n6:zeta\n7-eta\n8-beta two"
    )
    assert grep(web, "alpha|eta$", context=True, text=LINES.replace("beta", "b")).count("--") == 0


def test_lines_without_context_have_no_marks_between_them(web: Web) -> None:
    assert "--" not in grep(web, "alpha|eta")


def test_context_without_grep_is_a_warning(web: Web) -> None:
    assert warnings_of(web.fetch(reply(LINES, "text/plain"), context=True)) == ["context_ignored"]


def test_lines_of_a_pdf_are_counted_within_their_page(web: Web) -> None:
    body = reply(pdf("one\ntwo page\nthree", "four\nfive page"), "application/pdf")
    assert web.fetch(body, grep="page").content == "p1:2:two page\np2:2:five page"
    assert web.fetch(body, grep="five", context=True).content == "p2:1-four\np2:2:five page"
    assert web.fetch(body, grep="three|four", context=True).content == (
        "p1:1-one\np1:2-two page\np1:3:three\n--\np2:1:four\np2:2-five page"
    )
    assert web.fetch(body, grep="<!--").content == ""
    assert web.fetch(body, grep="page", pages="2", mode="text").content == "p2:2:five page"


def test_matches_stop_at_two_hundred_and_that_is_told(web: Web) -> None:
    result = web.fetch(reply("match\n" * 201, "text/plain"), grep="match")
    assert result.meta["grep_matches"] == 200
    assert result.meta["truncated_reason"] == "match_limit"
    result = web.fetch(reply("match\n" * 200, "text/plain"), grep="match")
    assert result.meta["truncated"] is False


def test_a_long_line_is_cut_around_its_match(web: Web) -> None:
    content = grep(web, "needle", "x" * 5000 + "needle" + "y" * 5000)
    assert "xneedley" in content
    assert 500 <= len(content) <= 510
    assert content.startswith("1:…")
    assert content.endswith("…")


def test_positions_of_matches_count_characters_not_bytes(web: Web) -> None:
    assert "needle" in grep(web, "needle", "ü" * 5000 + "needle" + "ü" * 5000)


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("(?=a)", "look-around"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back-reference"),
        ("(?P<n>a)(?P=n)", "back-reference"),
        ("a{2000}", "1000"),
        ("[", "bracket"),
        ("(a", "bracket"),
        ("a)", "bracket"),
        ("a++", "possessive"),
        ("(?>a)", "atomic"),
        (r"a\Z", r"\z"),
        ("*a", "before it"),
        ("a*", "every line"),
        ("^", "every line"),
        ("a" * 1001, "shorten"),
        ("((a{100}){100}){100}", "re"),
        ("a{3,1}", "smaller number first"),
        (r"(?P<n>a)\k<n>", "back-reference"),
        ("(?#why)a", "comments"),
        ("(?'n'a)", "(?P<name>"),
        (r"a\K", r"\K"),
        ("(?R)", "recursion"),
        ("(?(1)a)", "conditions"),
        ("(?x)a b", "flag x"),
        ("\ud800", "UTF-8"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_and_the_hint_names_why(
    pattern: str, hint: str
) -> None:
    (problem,) = validate([Target("http://a.test/", Options(grep=pattern))])
    assert (problem.field, problem.code) == ("grep", "bad_regex")
    assert hint in f"{problem.message} {problem.hint}"
    assert "b'" not in problem.message


def test_a_pattern_that_would_backtrack_takes_no_time(web: Web) -> None:
    text = "a" * 50_000 + "!"
    started = time.monotonic()
    assert grep(web, "(a+)+$", text) == ""
    assert time.monotonic() - started < 1


def test_a_bad_pattern_that_was_not_checked_fails_its_target(web: Web) -> None:
    assert error_of(lambda: grep(web, "(?=a)")).code == "bad_regex"


def test_grep_sees_what_jq_left(web: Web) -> None:
    body = reply('{"text": "one\\ntwo"}', "application/json")
    assert web.fetch(body, jq=".text", grep="two").content == "2:two"


def test_the_end_of_a_line_is_before_crlf(web: Web) -> None:
    assert grep(web, "b$", "a\r\nb\r\nc") == "2:b"
