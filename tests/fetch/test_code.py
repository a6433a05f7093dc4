"""Code has the lines that its page shows."""

from __future__ import annotations

import pytest

from .kit import PARAGRAPH, Web
from .test_html import markdown

BLOCK = 'span style="color: red; display:block"'
LINES = {
    "<div>a = 1</div><div>b = 2</div>": "a = 1\nb = 2",
    "<code><div>a = 1</div><div>b = 2</div></code>": "a = 1\nb = 2",
    "<p>a = 1</p><p>b = 2</p>": "a = 1\nb = 2",
    "<ol><li>a = 1</li><li>b = 2</li></ol>": "a = 1\nb = 2",
    "<code><table><tr><td>a = 1</td></tr><tr><td>b = 2</td></tr></table></code>": "a = 1\nb = 2",
    f"<code><{BLOCK}>a = 1</span><{BLOCK}>b = 2</span></code>": "a = 1\nb = 2",
    "<div>if a:</div><div>  <b>b</b> = <i>2</i></div>": "if a:\n  b = 2",
    "<div>a<div>b</div>c</div><span>d</span>": "a\nb\nc\nd",
    "<div>a</div><div><br></div><div>b</div>": "a\n\nb",
    # Where the text has its line ends, there are no more.
    "<div>a</div>\n<div>b</div>\n": "a\nb",
    "<div>a\n</div><div>\n</div><div>b\n</div>": "a\n\nb",
    "<div>a\n\nb\n</div>": "a\n\nb",
    "<span>a</span>\n<span>b</span>": "a\nb",
    # Side by side.
    '<span style="display: inline-block">a</span><span>b</span>': "ab",
}


@pytest.mark.parametrize("mode", ["article", "full", "text"])
@pytest.mark.parametrize("html", LINES)
def test_what_is_shown_as_a_line_is_one(web: Web, html: str, mode: str) -> None:
    page = f"<main><h1>Code</h1>{PARAGRAPH}<pre>{html}</pre>{PARAGRAPH}</main>"
    content = markdown(web, page, mode=mode)
    expected = LINES[html] if mode == "text" else f"```\n{LINES[html]}\n```"
    assert f"\n\n{expected}\n\n" in content
