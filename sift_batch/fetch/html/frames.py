"""Pages made of frames: what they say without them, and where the frames lead."""

from __future__ import annotations

from typing import Any

import lxml.html
from lxml import etree

_SHOWN_BESIDE = etree.XPath(
    "boolean(body//text()[normalize-space()][not(ancestor::frameset or ancestor::noframes"
    " or ancestor::script or ancestor::style or ancestor::noscript)])"
)
"""A body with a text of its own: browsers ignore a frameset there."""


def unframe(root: Any) -> None:
    """Give a frameset a body: the text for browsers without frames, and a link to each frame."""
    if root.find(".//frameset") is None or _SHOWN_BESIDE(root):
        return
    body = lxml.html.Element("body")
    for other in root.iter("noframes"):
        # The parser takes what is inside for text, as browsers do that know frames.
        if (other.text or "").strip():
            try:
                page = lxml.html.document_fromstring(other.text)
            except etree.ParserError:
                continue
            body.extend(list(page.find("body") if page.find("body") is not None else page))
    for frame in root.iter("frame"):
        if frame.get("src"):
            line = etree.SubElement(body, "p")
            link = etree.SubElement(line, "a", href=frame.get("src"))
            link.text = frame.get("title") or frame.get("name") or frame.get("src")
    for old in root.xpath("body | frameset | noframes"):
        old.getparent().remove(old)
    root.append(body)
