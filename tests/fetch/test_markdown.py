"""What stands in a page as text stands in its Markdown as text."""

from __future__ import annotations

import re

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, reply

MODES = pytest.mark.parametrize("mode", ["article", "full"])


@MODES
@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p># no heading", "\\# no heading"),
        ("<p>1. no list", "1\\. no list"),
        ("<p>- no list", "\\- no list"),
        ("<p>&gt; no quotation", "\\> no quotation"),
        ("<p>*no* emphasis", "\\*no\\* emphasis"),
        ("<p>`no` code", "\\`no\\` code"),
        ("<p>&lt;script&gt;no()&lt;/script&gt;", "\\<script>no()\\</script>"),
    ],
)
def test_signs_of_markdown_stand_for_themselves(
    web: Web, html: str, written: str, mode: str
) -> None:
    page = article(PARAGRAPH, html, OTHER)
    assert f"\n\n{written}\n\n" in web.fetch(reply(page), mode=mode).content


@pytest.mark.parametrize("text", ["snake_case and 2 * 3", "a - b, 10.5 and #1", "x < y && y > z"])
def test_what_would_not_be_read_as_markdown_stays_as_it_is(web: Web, text: str) -> None:
    html = text.replace("&", "&amp;").replace("<", "&lt;")
    assert text in web.fetch(reply(article(f"<p>{html}", PARAGRAPH)), mode="full").content


def test_code_and_cells_keep_their_signs(web: Web) -> None:
    table = "<table><tr><th>a<th>b<tr><td><code>*x*</code><td>&lt;b&gt;</table>"
    content = web.fetch(reply(article(PARAGRAPH, table)), mode="full").content
    assert "| `*x*` | \\<b> |" in content


@MODES
def test_a_link_with_brackets_in_its_target_stays_a_link(web: Web, mode: str) -> None:
    page = article(PARAGRAPH, '<p>See <a href="http://x.test/Foo_(bar)">Foo</a> for more.', OTHER)
    assert "[Foo](http://x.test/Foo_%28bar%29)" in web.fetch(reply(page), mode=mode).content


@MODES
@pytest.mark.parametrize("link", ["<a href=/y></a>", "<a href=/y><img src=i.png></a>"])
def test_a_link_without_words_takes_none_of_the_text(web: Web, mode: str, link: str) -> None:
    page = article(
        PARAGRAPH, f"<p>First {link} and then more text.", OTHER, f"<p>Last {link} word."
    )
    content = web.fetch(reply(page), mode=mode).content
    assert "First and then more text." in content
    assert "Last word." in content


@MODES
def test_rare_elements_keep_their_words(web: Web, mode: str) -> None:
    page = article(
        PARAGRAPH,
        "<p>The sum <math><mi>a</mi><mo>+</mo><mn>2</mn></math> is known.",
        "<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> is read aloud.",
        "<center>This line stands in the middle of the page, as it did in 1997.</center>",
        "<p><font color=red>This one is red.</font>",
        OTHER,
    )
    content = web.fetch(reply(page), mode=mode).content
    for part in ("The sum a+2 is known.", "漢字(かんじ) is", "in the middle", "This one is red."):
        assert part in content


@MODES
def test_a_formula_is_its_tex_where_the_page_has_it(web: Web, mode: str) -> None:
    note = '<annotation encoding="application/x-tex">a_{1} &lt; b * c</annotation>'
    formula = f"<math><semantics><mi>a</mi>{note}</semantics></math>"
    page = article(PARAGRAPH, f"<p>The bound {formula} is known.", OTHER)
    assert "The bound $a_{1} < b * c$ is known." in web.fetch(reply(page), mode=mode).content
    assert "bound a_{1} < b * c is" in web.fetch(reply(page), mode="text").content


@MODES
def test_a_formula_brings_no_tag_along(web: Web, mode: str) -> None:
    shown = "<math><mtext>&lt;img src=x onerror=no()&gt;</mtext>{}</math>"
    note = '<annotation encoding="TeX">a&lt;img src=x onerror=no()&gt;</annotation>'
    page = article(PARAGRAPH, f"<p>One {shown.format('')}, two {shown.format(note)}.", OTHER)
    content = web.fetch(reply(page), mode=mode).content
    assert "onerror" in content
    assert not re.search(r"(?<!\\)<img", content)
