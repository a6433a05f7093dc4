"""From text to a tree without what nobody sees, its links absolute."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urljoin, urlsplit

import lxml.html
from lxml import etree

from ..errors import fail
from .frames import unframe

INVISIBLE = (
    "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "canvas",
    "audio", "video", "select", "datalist", "head",
)  # fmt: skip
_IN_HEAD = (
    "title", "base", "meta", "link", "style", "script", "noscript", "template", "object",
)  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DOOMED = "sift-doomed"
_SPACE = re.compile(r"\s+")
_BREAKS = re.compile("[\x0b\x0c]")
# What XML, and so a tree, cannot hold; written as a character reference too.
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\ufffe\uffff]")
_CONTROLS = bytes({*range(0x20)} - {*b"\t\n\r"})
_REFERENCE = re.compile(r"&#(?:0*([0-9]{1,5})|[xX]0*([0-9a-fA-F]{1,4}))(?![0-9a-fA-F]);?")
# One class for all elements, for nothing here asks for the forms' own: lxml.html looks each one's
# up in Python, whenever an element is touched.
_CLASSES = etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
_MAYBE_HIDDEN = etree.XPath("//*[@hidden or @style or self::dialog]")
_MAYBE_FOR_PAPER = ("div", "section", "article", "header", "footer", "p", "ul", "table")
_ON_SCREENS = ("d-sm-", "d-md-", "d-lg-", "d-xl-", "d-xxl-", "sm:", "md:", "lg:", "xl:", "2xl:")
_UNSAFE = re.compile(r"[\s()]")
_AS_IT_IS = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_COUNT = etree.XPath("count(descendant-or-self::*)")
_LINK_ATTRIBUTES = (("a", "href"), ("area", "href"), ("img", "src"))
_KEPT_SCHEMES = ("http://", "https://", "mailto:", "tel:")


def parse(text: str) -> Any:
    """The tree of an HTML text, or None for a text without any.

    Raises ``too_complex`` for a page nested deeper than the parser follows.
    """
    if "&#" in text:
        text = _REFERENCE.sub(_readable, text)
    # Bytes, since a str with an XML declaration is refused; and they tell soonest whether there
    # is something to mend.
    source = text.encode("utf-8", "replace")
    if b"\xef\xbf" in source or len(source.translate(None, _CONTROLS)) < len(source):
        text = _NO_TEXT.sub("\ufffd", _BREAKS.sub(" ", text))
        source = text.encode("utf-8", "replace")
    parser = lxml.html.HTMLParser(
        huge_tree=True, encoding="utf-8", remove_pis=True, remove_comments=True
    )
    parser.set_element_class_lookup(_CLASSES)
    try:
        root = lxml.html.document_fromstring(source, parser=parser)
    except etree.ParserError:
        return None
    if any("depth" in entry.message for entry in parser.error_log):
        raise fail("too_complex", "the page is nested too deeply to be read", "ask for mode raw")
    unframe(root)
    _end_head(root)
    return root


def _end_head(root: Any) -> None:
    """Move what the head cannot hold into the body.

    Both tags may be left out, and the parser does not know that ``main``, ``article`` and others
    of HTML 5 end a head (https://html.spec.whatwg.org/multipage/dom.html#metadata-content).
    """
    head = root.find("head")
    if head is None:
        return
    first = next((n for n, e in enumerate(head) if e.tag not in _IN_HEAD), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    moved = list(head)[first:]
    if body.text:  # stands after all of them
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None
    body[:0] = moved


def _readable(reference: re.Match[str]) -> str:
    """A character reference as it is, but the character itself where a tree cannot hold it."""
    decimal, hexadecimal = reference.groups()
    char = chr(int(decimal) if decimal else int(hexadecimal, 16))
    return char if _NO_TEXT.match(char) or _BREAKS.match(char) else reference[0]


def base_url(root: Any, url: str) -> str:
    """What relative links are relative to: the first ``<base href>``, else the page."""
    for base in root.iter("base"):
        if base.get("href"):
            absolute = joined(url, base.get("href")) or url
            return absolute if absolute.startswith("http") else url
    return url


def _resolver(base: str) -> Callable[[str], str | None]:
    """:func:`joined` for one base: pages have hundreds of links, and most are plain ones."""
    scheme, netloc = urlsplit(base)[:2]
    origin = f"{scheme}://{netloc}"

    def resolve(link: str) -> str | None:
        link = link.strip()
        if link[-1:] not in ("?", "#"):
            if _AS_IT_IS.match(link):
                return link
            if link[:1] == "/" and link[1:2] != "/" and "/." not in link:
                return origin + link
        return joined(base, link)

    return resolve


def joined(base: str, link: str) -> str | None:
    """``link`` made absolute, or None when it leads to nothing that can be followed."""
    try:
        absolute = urljoin(base, link.strip())
    except ValueError:
        return None
    return absolute if absolute.lower().startswith(_KEPT_SCHEMES) else None


def make_links_absolute(root: Any, base: str) -> None:
    """Resolve every link; those to scripts and data lose their target."""
    resolve = _resolver(base)
    for tag, attribute in _LINK_ATTRIBUTES:
        for element in root.iter(tag):
            link = element.get(attribute)
            if link is None:
                continue
            absolute = resolve(link)
            if absolute is None:
                del element.attrib[attribute]
            else:
                if _UNSAFE.search(absolute):  # which would end a Markdown link early
                    absolute = _SPACE.sub("%20", absolute)
                    absolute = absolute.replace("(", "%28").replace(")", "%29")
                element.set(attribute, absolute)


def drop_invisible(root: Any) -> None:
    """Remove scripts, styles and hidden elements; ``<details>`` stays."""
    # Only what may have to go is looked at in Python: pages have up to a million elements.
    drop(root, filter(_is_hidden, _MAYBE_HIDDEN(root)))
    drop(root, filter(_is_for_paper, root.iter(*_MAYBE_FOR_PAPER)))
    etree.strip_elements(root, *INVISIBLE, with_tail=False)


def drop(root: Any, elements: Iterable[Any]) -> None:
    """Remove elements of a tree, whose tails stay.

    All at once: taken out one by one, each would copy the text that gathers before it, and a page
    with many of them would take minutes.
    """
    for element in elements:
        element.tag = _DOOMED
    etree.strip_elements(root, _DOOMED, with_tail=False)


def has_more_elements(root: Any, limit: int) -> bool:
    return bool(_COUNT(root) > limit)


def body_of(root: Any) -> Any:
    found = root.find("body")
    return root if found is None else found


def visible_chars(root: Any) -> int:
    """How much text a cleaned tree has, white space counted once."""
    return len(" ".join(body_of(root).text_content().split()))


def _is_hidden(element: Any) -> bool:
    if element.tag in ("html", "body"):
        return False  # scripts show a page that hides itself while it loads
    if element.tag == "dialog" and element.get("open") is None:
        return True
    return element.get("hidden") is not None or bool(
        _HIDDEN_STYLE.search(element.get("style") or "")
    )


def _is_for_paper(element: Any) -> bool:
    """Whether a page shows this in print alone, in the words of Bootstrap or Tailwind."""
    name = element.get("class") or ""
    if "print" not in name:
        return False
    words = name.split()
    if any(word.startswith(_ON_SCREENS) for word in words):
        return False
    unseen = "d-none" in words or "hidden" in words
    return unseen and any(word.startswith(("d-print-", "print:")) for word in words)
