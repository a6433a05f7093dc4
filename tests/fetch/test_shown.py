"""What a page shows without text of it: marks, attributions, captions, closed dialogs."""

from __future__ import annotations

import pytest

from .kit import OTHER, PARAGRAPH, Web
from .test_html import markdown

MODES = pytest.mark.parametrize("mode", ["auto", "article", "full", "text"])
TABLE = "<table>{}<tr><th>A<th>B<tr><td>1<td>2</table>"
SPAN = "<tr><th>A<th>B<tr><td rowspan={}>x<td>1<tr><td>2"


def page(html: str) -> str:
    return f"<article><h1>The bridge</h1>{PARAGRAPH}{html}{OTHER}</article>"


QUOTATIONS = {
    "said <q>never</q> to it": "said “never” to it",
    "said <q>never <b>again</b></q> to it": "said “never again” to it",
    "said <q>he said <q>never</q></q> to it": "said “he said \u2018never\u2019” to it",
    "said <q>“never”</q> to it": "said “never” to it",
    "said <q>«never»</q> to it": "said «never» to it",
}


@MODES
@pytest.mark.parametrize("html", QUOTATIONS)
def test_a_quotation_in_a_sentence_has_marks(web: Web, html: str, mode: str) -> None:
    content = markdown(web, page(f"<p>She {html} in the end.</p>"), mode=mode)
    assert f"She {QUOTATIONS[html]} in the end." in content.replace("**", "")


@MODES
def test_a_quotation_says_whose_it_is(web: Web, mode: str) -> None:
    quotation = "<blockquote><p>To be.</p><footer>By <cite>Shakespeare</cite></footer></blockquote>"
    content = markdown(web, page(quotation), mode=mode)
    assert "To be.\n" in content
    assert "By Shakespeare\n" in content


@MODES
def test_a_caption_stands_before_its_table(web: Web, mode: str) -> None:
    table = TABLE.format("<caption>In <i>thousands</i></caption>")
    content = markdown(web, page(table), mode=mode)
    row = "A\tB" if mode == "text" else "| A | B |"
    assert f"\nIn thousands\n\n{row}\n" in content.replace("*", "")


@MODES
def test_a_caption_of_blocks_stands_before_its_table(web: Web, mode: str) -> None:
    table = TABLE.format("<caption><p>In thousands</p><p>of euros</p></caption>")
    content = markdown(web, page(table), mode=mode)
    assert content.index("In thousands\n") < content.index("of euros\n") < content.index("A")


@MODES
@pytest.mark.parametrize("height", ["0", "2", "9"])
def test_a_cell_ends_with_its_group(web: Web, height: str, mode: str) -> None:
    groups = f"<tbody>{SPAN.format(height)}</tbody><tbody><tr><td>y<td>3</tbody>"
    content = markdown(web, page(f"<table>{groups}</table>"), mode=mode)
    rows = ["x\t1", "\t2", "y\t3"]
    if mode != "text":
        rows = ["| x | 1 |", "|  | 2 |", "| y | 3 |"]
    assert "\n".join(rows) in content


@MODES
def test_a_closed_dialog_is_not_shown(web: Web, mode: str) -> None:
    dialogs = "<dialog><p>Are you sure?</p></dialog><dialog open><p>You are here.</p></dialog>"
    content = markdown(web, page(dialogs), mode=mode)
    assert "sure" not in content
    if mode == "full":
        assert "You are here." in content
