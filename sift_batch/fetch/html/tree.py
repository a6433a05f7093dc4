"""From text to a tree without what nobody sees, its links absolute."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any
from urllib.parse import urljoin

import lxml.html
from lxml import etree

from ..errors import fail

INVISIBLE = (
    "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "canvas",
    "audio", "video", "select", "datalist", "head",
)  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_BREAKS = re.compile("[\x0b\x0c]")
# What XML, and so a tree, cannot hold; written as a character reference too.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:0*([0-9]{1,5})|[xX]0*([0-9a-fA-F]{1,4}))(?![0-9a-fA-F]);?")
_MAYBE_HIDDEN = etree.XPath("//*[@hidden or @style]")
_LINK_ATTRIBUTES = (("a", "href"), ("area", "href"), ("img", "src"))
_KEPT_SCHEMES = ("http://", "https://", "mailto:", "tel:")


def parse(text: str) -> Any:
    """The tree of an HTML text, or None for a text without any.

    Raises ``too_complex`` for a page nested deeper than the parser follows.
    """
    text = _REFERENCE.sub(_readable, text)
    text = _NO_TEXT.sub("\ufffd", _BREAKS.sub(" ", text))
    # Bytes, since a str with an XML declaration is refused.
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8", remove_pis=True)
    try:
        root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        return None
    if any("depth" in entry.message for entry in parser.error_log):
        raise fail("too_complex", "the page is nested too deeply to be read", "ask for mode raw")
    return root


def _readable(reference: re.Match[str]) -> str:
    """A character reference as it is, but the character itself where a tree cannot hold it."""
    decimal, hexadecimal = reference.groups()
    char = chr(int(decimal) if decimal else int(hexadecimal, 16))
    return char if _NO_TEXT.match(char) or _BREAKS.match(char) else reference[0]


def base_url(root: Any, url: str) -> str:
    """What relative links are relative to: the first ``<base href>``, else the page."""
    for base in root.iter("base"):
        if base.get("href"):
            return joined(url, base.get("href")) or url
    return url


def joined(base: str, link: str) -> str | None:
    """``link`` made absolute, or None when it leads to nothing that can be followed."""
    try:
        absolute = urljoin(base, link.strip())
    except ValueError:
        return None
    return absolute if absolute.lower().startswith(_KEPT_SCHEMES) else None


def make_links_absolute(root: Any, base: str) -> None:
    """Resolve every link; those to scripts and data lose their target."""
    for tag, attribute in _LINK_ATTRIBUTES:
        for element in root.iter(tag):
            link = element.get(attribute)
            if link is None:
                continue
            absolute = joined(base, link)
            if absolute is None:
                del element.attrib[attribute]
            else:
                # Spaces and brackets would end a Markdown link early.
                element.set(attribute, _SPACE.sub("%20", absolute).replace(")", "%29"))


def drop_invisible(root: Any) -> None:
    """Remove comments, scripts, styles and hidden elements; ``<details>`` stays."""
    # Only what may have to go is looked at in Python: pages have up to a million elements.
    doomed = list(root.iter(etree.Comment, *INVISIBLE))
    doomed += [element for element in _MAYBE_HIDDEN(root) if _is_hidden(element)]
    for element in doomed:
        if element.getparent() is not None:
            element.drop_tree()


def has_more_elements(root: Any, limit: int) -> bool:
    return next(islice(root.iter(), limit, None), None) is not None


def body_of(root: Any) -> Any:
    found = root.find("body")
    return root if found is None else found


def visible_chars(root: Any) -> int:
    """How much text a cleaned tree has, white space counted once."""
    return len(_SPACE.sub(" ", body_of(root).text_content()).strip())


def _is_hidden(element: Any) -> bool:
    if element.tag in ("html", "body"):
        return False  # scripts show a page that hides itself while it loads
    return element.get("hidden") is not None or bool(
        _HIDDEN_STYLE.search(element.get("style") or "")
    )
