"""docs/api.md says what the code does."""

from __future__ import annotations

import re

from django.urls import URLPattern

from batch.api.codes import CODES
from batch.api.urls import urlpatterns
from tests.processes import ROOT

TEXT = (ROOT / "docs/api.md").read_text()


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_docs_list_exactly_the_error_codes_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", section("Errors"), re.MULTILINE)
    assert rows == [(code, str(int(kind.status))) for code, kind in CODES.items()]


def test_the_docs_mark_the_codes_that_come_with_retry_after() -> None:
    marked = re.findall(r"^\| `(\w+)` \|.*`Retry-After`", section("Errors"), re.MULTILINE)
    assert marked == [code for code, kind in CODES.items() if kind.retry_after]


def test_the_docs_list_every_address() -> None:
    shown = set(re.findall(r"^\| `[A-Z]+ (\S+?)`", section("Calls"), re.MULTILINE))
    routes = {
        re.sub(r"<str:(job_)?(\w+)>", r"{\2}", str(pattern.pattern))
        for pattern in urlpatterns
        if isinstance(pattern, URLPattern) and pattern.name
    }
    assert shown == routes
