"""The code lists, the code and the documentation are one."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from batch.types import Options
from sift_batch.fetch.codes import ERROR_CODES, GONE, OPTION_CODES, RETRYABLE, WARNING_CODES
from sift_batch.fetch.errors import fail
from sift_batch.fetch.meta import ALWAYS, TRUNCATED_REASONS

ROOT = Path(__file__).parents[2]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "sift_batch" / "fetch").rglob("*.py")
}
ALL = "\n".join(text for name, text in SOURCES.items() if not name.endswith("codes.py"))


def documented(heading: str) -> set[str]:
    """The codes in the table under a heading of docs/errors.md."""
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    part = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `(\w+)`", part, re.MULTILINE))


def test_every_code_is_documented_and_no_other() -> None:
    assert documented("Errors of a target") == ERROR_CODES
    assert documented("Errors of an option") == OPTION_CODES
    assert documented("Warnings") == WARNING_CODES


def test_every_code_is_used_and_no_other() -> None:
    raised = set(re.findall(r'\bfail\(\s*"(\w+)"', ALL))
    assert raised == ERROR_CODES
    warned = set(re.findall(r'\bwarn\(\s*"(\w+)"', ALL))
    warned |= set(re.findall(r'found\.append\(\s*\(\s*"(\w+)"', ALL))
    assert warned == WARNING_CODES
    assert set(re.findall(r'"(bad_(?:mode|pages|regex|jq))"', ALL)) == OPTION_CODES


def test_every_reason_for_a_cut_is_used_and_no_other() -> None:
    assert set(re.findall(r'\btruncate\("(\w+)"\)', ALL)) == set(TRUNCATED_REASONS)


def test_an_error_may_be_tried_again_when_its_code_says_so() -> None:
    for code in ERROR_CODES:
        assert fail(code, "what").retryable is (code in RETRYABLE)
    assert GONE <= ERROR_CODES


def test_every_option_is_documented_with_an_example() -> None:
    text = (ROOT / "docs" / "options.md").read_text("utf-8")
    for option in (field.name for field in fields(Options)):
        if option == "extra":
            continue
        part = text.split(f"\n## {option}\n", 1)[1].split("\n## ", 1)[0]
        assert f'"{option}": ' in part
        assert "\nIn:\n" in part
        assert "\nOut:" in part
    sentence = (
        "pages, jq, grep and question narrow the text in that order;"
        " each sees what the one before left."
    )
    assert sentence in text


def test_every_fact_is_documented() -> None:
    text = (ROOT / "docs" / "options.md").read_text("utf-8")
    facts = text.split("\n## The facts: meta\n", 1)[1]
    assert set(ALWAYS) <= set(re.findall(r"`(\w+)`", facts))
    assert all(reason in facts for reason in TRUNCATED_REASONS)


def test_files_stay_small() -> None:
    for name, text in SOURCES.items():
        assert text.count("\n") < 300, name
