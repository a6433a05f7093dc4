"""What the search begins with: small documents of each kind, each in a few ways of asking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.fetch.pdfs import pdf, readable_but_protected

from .reading import CONTROL_BYTES

_FILES = Path(__file__).parent.parent / "fetch" / "pdf_files"

HTML = """<!doctype html><html lang=en><head><title>A bridge</title><base href="/b/">
<meta charset=utf-8><meta name=author content="Ada"><link rel=canonical href=/c>
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">
<script type="application/ld+json">{"@type": "Article", "headline": "A bridge"}</script></head>
<body><nav><a href=x>One</a><a href=y>Two</a></nav><article><h1>The bridge</h1>
<p>The committee met on Tuesday and decided that the bridge will be rebuilt <b>soon</b>.</p>
<ul><li>stone<ol start=3><li>old</ol></ul><pre><code class=language-py>a = 1
</code></pre><table><caption>t</caption><tr><th>a<th colspan=2>b
<tr><td rowspan=2>1<td>2<br>3</table>
<blockquote>quoted <img src=i alt=pic></blockquote><p hidden>not this</p><details>that</details>
</article></body></html>"""
REFRESH = (
    """<meta content="0;URL='/real'" http-equiv=refresh><noscript>Enable JavaScript</noscript>"""
)
SHELL = "<div id=root></div><noscript>You need JavaScript.</noscript><script src=/m.js></script>"
WALL = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
XHTML = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p>'
FRAMES = "<frameset><frame src=a><frame src=b><noframes><p>framed</p></noframes></frameset>"
VERSE = "<p>one<br>two<br><br>three</p><svg><text>s</text></svg><select><option>o</select><math>m"
MARKDOWN = (
    "# One\n\nThe fees are:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```\n\n## Two\n\nfees."
)
CHINESE = "<meta charset=gb2312><p>退款政策:自购买之日起三十天内可以退款。</p>"

DOCUMENTS = (
    HTML.encode(),
    REFRESH.encode(),
    SHELL.encode(),
    WALL.encode(),
    XHTML.encode(),
    FRAMES.encode(),
    VERSE.encode(),
    CHINESE.encode("gb18030"),
    HTML.encode("utf-16"),
    b"\xff\xfe\x00\x00<\x00\x00\x00",
    b"<p>caf\xe9 \x96 na\xefve</p>",
    MARKDOWN.encode(),
    b"a,b\r\n1,2\r\n",
    b'{"a": [1, 2.5, NaN, "\\ud800", 9007199254740993, 1e999]}',
    b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n',
    b'<?xml version="1.0"?><rss><channel><item><title>t</title></item></channel></rss>',
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    pdf("first page", "second\npage", "", title="Title"),
    readable_but_protected("may be read"),
    *(path.read_bytes() for path in sorted(_FILES.glob("*.pdf")) if path.stat().st_size < 4000),
)

# How each document is asked for: as it is, in full with all that narrows, and as text.
_ASKED = (b"\0\1\0\0\0\0", b"\2\0\1\x81\1\0", b"\3\4\0\2\2\2")

WORDS = (
    "<!--", "-->", "<![CDATA[", "<?xml", "<!DOCTYPE html>", "<table>", "<tr>", "<td rowspan=9>",
    "<pre>", "<code>", "<li>", "<svg>", "<math>", "<template>", "<noscript>", "<frameset>",
    "<base href=", "<meta charset=", "hidden", "display:none", "&#0;", "&#xD800;",
    "&nbsp;", "0001-01-01T00:00:00+23:59",
    "utf-16", "shift_jis", "iso-2022-jp", "```", "<!-- page 2 -->", "%PDF-", "endobj", "stream",
    "/Kids", "/Count", "/Filter /FlateDecode", "/Encrypt", "/Contents", "startxref", "NaN",
    "\\ud800",
)  # fmt: skip


def seeds() -> Iterator[bytes]:
    for document in DOCUMENTS:
        for asked in _ASKED:
            assert len(asked) == CONTROL_BYTES
            yield document + asked
