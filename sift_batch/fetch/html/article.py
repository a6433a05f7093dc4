"""The main content as Markdown: trafilatura, with code and tables kept whole around it."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from lxml import etree

from ..limits import LARGE_PAGE_ELEMENTS
from .comments import drop_comments
from .frame import with_what_stands_between
from .kept import Kept
from .leftovers import drop_repeated_title, drop_rights
from .nesting import nest
from .prepare import prepare
from .tree import body_of, has_more_elements

_FACTS = etree.XPath("//script[@type='application/ld+json']")
_FORUM = '"DiscussionForumPosting"'
_NO_MARK = "no-mark"
_BLANKS = re.compile(r"\n{3,}")


def is_forum(root: Any) -> bool:
    """Whether a tree (not cleaned yet) says that its comments are the content."""
    return any(_FORUM in (script.text or "") for script in _FACTS(root))


def article(root: Any, *, plain: bool, forum: bool = False, max_elements: int | None = None) -> str:
    """The main content of a cleaned tree, empty when there is none. Changes the tree.

    Beyond ``max_elements`` (code and simple tables count as one) nothing is looked for.
    """
    if not forum:
        drop_comments(root)
    kept = Kept(body_of(root).text_content(), plain)
    kept.take_from(root)
    if max_elements is not None and has_more_elements(root, max_elements):
        return ""
    prepare(root, plain=plain)
    if forum:
        # The one thing for which trafilatura needs a script; with the page's own it would also
        # take text that the page does not show.
        mark = etree.SubElement(body_of(root), "script", type="application/ld+json")
        mark.text = f'{{"@type": {_FORUM}}}'
    # The second opinions of other extractors take longest, and long pages need them least.
    body = _main_content(root, plain, fast=has_more_elements(root, LARGE_PAGE_ELEMENTS))
    if body is None:
        return ""
    body = with_what_stands_between(root, body, lambda: _main_content(root, False, fast=True))
    drop_repeated_title(body)
    drop_rights(body)
    return _written(body, kept, plain)


def _main_content(root: Any, plain: bool, *, fast: bool) -> Any:
    """The extractor's tree of what it takes for the main content, or None."""
    from trafilatura import bare_extraction

    found: Any = bare_extraction(
        root,
        output_format="markdown",
        include_links=not plain,
        include_formatting=not plain,
        include_tables=True,
        include_comments=False,
        deduplicate=False,
        fast=fast,
    )
    return None if found is None else found.body


def _written(body: Any, kept: Kept, plain: bool) -> str:
    kept.mark_numbers(body)
    # The extractor's writer reads character references, of which there are none any more: what
    # looks like one is text, or an address such as ?a=1&section=2.
    for element in body.iter():
        if element.text and "&" in element.text:
            element.text = _escaped(element.text)
        if element.tail and "&" in element.tail:
            element.tail = _escaped(element.tail)
        if element.tag == "hi" and element.get("rend") == "#u":
            element.tag = _NO_MARK  # Markdown has no mark for it, and a reader no use of the tag
        if target := element.get("target"):
            element.set("target", _escaped(target))
        elif element.tag == "ref":
            element.tag = _NO_MARK  # else it would come as a text in brackets
    etree.strip_tags(body, _NO_MARK)
    if plain:
        etree.strip_tags(body, "ref", "hi", "del")
    else:
        _keep_quotations(body, kept)
    return _text(body, kept, plain)


def _text(body: Any, kept: Kept, plain: bool) -> str:
    from trafilatura.xml import xmltotxt

    lines = xmltotxt(body, not plain).split("\n")
    text = nest(kept.set_apart("\n".join([line.rstrip(" \t") for line in lines])))
    if "\n\n\n" in text:
        text = _BLANKS.sub("\n\n", text)
    return kept.put_back(text.strip())


def _keep_quotations(body: Any, kept: Kept) -> None:
    """The extractor's writer leaves out the marks of quotations."""
    for quote in body.findall("quote"):
        alone = body.makeelement("body")
        alone.append(deepcopy(quote))
        alone[0].tail = None
        text = _text(alone, kept, plain=False)
        if text:
            place = kept.place("\n".join(f"> {line}".rstrip() for line in text.split("\n")))
            place.tail = quote.tail
            body.replace(quote, place)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;")
