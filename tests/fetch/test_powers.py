"""A power is told from the digits before it."""

from __future__ import annotations

import pytest

from .kit import PARAGRAPH, Web
from .test_html import markdown

POWERS = {
    # In the page, as Markdown, as text.
    "10<sup>6</sup> of them": ("10<sup>6</sup> of them", "10^6 of them"),
    "10<sup>-3</sup>": ("10<sup>-3</sup>", "10^-3"),
    "10<sup><b>7</b></sup> more": ("10<sup>**7**</sup> more", "10^7 more"),
    "<i>x</i><sup>2</sup>": ("*x*<sup>2</sup>", "x^2"),
    "(a + b)<sup>n</sup>": ("(a + b)<sup>n</sup>", "(a + b)^n"),
    "2<sup>n-1</sup>": ("2<sup>n-1</sup>", "2^(n-1)"),
    "<b>5 m<sup>3</sup></b>": ("**5 m<sup>3</sup>**", "5 m^3"),
    "10<sup>6<sup>2</sup></sup>": ("10<sup>6<sup>2</sup></sup>", "10^(6^2)"),
    "<code>a<sup>2</sup> + b<sub>1</sub></code>": ("`a^2 + b1`", "a^2 + b1"),
    "H<sub>2</sub>O": ("H<sub>2</sub>O", "H2O"),
    # No powers.
    "the 19<sup>th</sup>, 1<sup>e</sup>": ("the 19<sup>th</sup>, 1<sup>e</sup>", "the 19th, 1e"),
    "said<sup>[4]</sup>": ("said<sup>[4]</sup>", "said[4]"),
    'said<sup class="reference">4</sup>': ("said<sup>4</sup>", "said4"),
    'said<sup><a href="http://b.test/#4">4</a></sup>': (
        "said<sup>[4](http://b.test/#4)</sup>",
        "said4",
    ),
    'said<a href="http://b.test/#4"><sup>4</sup></a>': (
        "said[<sup>4</sup>](http://b.test/#4)",
        "said4",
    ),
}


@pytest.mark.parametrize("mode", ["article", "full"])
@pytest.mark.parametrize("html", POWERS)
def test_a_power_keeps_its_tag_in_markdown(web: Web, html: str, mode: str) -> None:
    content = markdown(web, _page(html), mode=mode).replace("\\", "")
    assert f"so, {POWERS[html][0]} it was" in content


@pytest.mark.parametrize("html", POWERS)
def test_a_power_has_a_sign_in_text(web: Web, html: str) -> None:
    assert f"so, {POWERS[html][1]} it was" in markdown(web, _page(html), mode="text")


@pytest.mark.parametrize("mode", ["article", "full", "text"])
def test_a_power_in_code_has_a_sign(web: Web, mode: str) -> None:
    code = _page("</p><pre>x = 2<sup>8</sup>\ny<sub>1</sub></pre><p>")
    assert "\nx = 2^8\ny1\n" in markdown(web, code, mode=mode)


def test_a_power_in_a_cell_is_one(web: Web) -> None:
    table = "<table><tr><th>a<th>m<sup>2</sup><tr><td>1<td>2</table>"
    page = _page(f"</p>{table}<p>")
    assert "| a | m<sup>2</sup> |" in markdown(web, page, mode="full")
    assert "a\tm^2\n1\t2" in markdown(web, page, mode="text")


def _page(html: str) -> str:
    return f"<main><h1>Powers</h1>{PARAGRAPH}<p>And so, {html} it was.</p>{PARAGRAPH}</main>"
