"""Code, which is written as it stands."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from lxml import etree

_LANGUAGE = re.compile(r"(?:language|lang|highlight-source)-([\w+#-]+)")
# Sphinx and code forges name the language on a box around the code.
_LANGUAGE_AROUND = re.compile(r"(?:\A|\s)(?:highlight-source|highlight|language)-([\w+#-]+)")
_NO_LANGUAGES = ("default", "none", "text", "source")
_LINES = ("div", "p", "li", "tr")
_SHOWN_AS_LINE = re.compile(
    r"display\s*:\s*(?:block|flex|grid|list-item|table-row)\b(?!-)", re.IGNORECASE
)


def fenced(element: Any, plain: bool) -> str:
    """A ``<pre>`` as it stands, in a fence longer than any inside it."""
    for br in element.iter("br"):
        br.text = "\n"
    code = _text(element).strip("\n").replace("\r\n", "\n")
    if plain:
        return code
    language = ""
    for holder in element.iter("pre", "code"):
        found = _LANGUAGE.search(holder.get("class") or "")
        if found:
            language = found[1]
            break
    else:
        for around in islice(element.iterancestors("div"), 2):
            found = _LANGUAGE_AROUND.search(around.get("class") or "")
            if found and found[1] not in _NO_LANGUAGES:
                language = found[1]
                break
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _text(pre: Any) -> str:
    """All text; what is shown as a line of its own is one, where the text does not say so."""
    if not any(map(_is_line, pre.iterdescendants())):
        return str(pre.text_content())
    parts: list[str] = []
    blank = True  # the line so far
    begins = ends = False  # what is a line, since the last text
    for event, element in etree.iterwalk(pre, events=("start", "end")):
        begun = event == "start"
        if element is not pre and _is_line(element):
            begins, ends = begun, not begun
        text = element.text if begun else element.tail
        if not text or (element is pre and not begun):
            continue
        if not blank and (begins or (ends and text[0] != "\n")):
            parts.append("\n")
            blank = True
        parts.append(text)
        _, broken, last = text.rpartition("\n")
        blank = (blank or bool(broken)) and not last.strip()
        begins = ends = False
    return "".join(parts)


def _is_line(element: Any) -> bool:
    return element.tag in _LINES or bool(_SHOWN_AS_LINE.search(element.get("style") or ""))
