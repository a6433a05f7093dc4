"""What docs/options.md shows is what comes out."""

from __future__ import annotations

from .examples import PAGE, rewritten
from .kit import Web


def test_the_examples_of_the_options_are_what_comes_out(web: Web) -> None:
    page = PAGE.read_text("utf-8")
    assert page.count("\nIn:\n") == 7
    assert rewritten(page, web) == page, "renew it: python -m tests.fetch.examples"
    assert rewritten(page.replace("arches", "piers"), web) != page
