"""Markup that the extractor would misread, said in a way that it understands.

Nothing is judged here: what is content, the extractor decides. Only menus go, which it drops
always, and more slowly.
"""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

from .numbers import NUMBER
from .tables import lays_out
from .tree import drop
from .writer import BLOCKS, HEADINGS

MAX_ITEM_CHARS = 1000
MIN_RUNNING_CHARS = 80
"""A box with less text of its own holds no running text."""
_BOXES = ("div", "section", "article", "main", "body")
_LINKS_WITHOUT_WORDS = etree.XPath("//a[not(normalize-space())]")
_TIMES = etree.XPath("//time")
_HEADINGS_IN_SUMMARIES = etree.XPath("//summary[.//h1 or .//h2 or .//h3 or .//h4]")
_NAMED = etree.XPath(
    "//*[@itemscope or @id][self::div or self::li or self::table or self::tr or self::article"
    " or self::section]"
)
_POST_TYPE = re.compile(r"schema\.org/(?:Question|Answer|DiscussionForumPosting)\Z")
_POST_ID = re.compile(r"(?:p|msg|message|answer)[-_]?\d+\Z")  # post-1 is any teaser of a blog
_CONTENT_CLASS = re.compile(r"content|body|text|entry|story|post|article", re.IGNORECASE)
_TABLE_PARTS = ("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption")


def prepare(root: Any, *, plain: bool) -> None:
    """Change a cleaned tree that is about to be given to the extractor."""
    _keep_attributions(root)
    _drop_menus(root)
    _keep_words_of_rare_elements(root, plain)
    _unlink_what_has_no_words(root)
    _keep_times_in_sentences(root)
    _set_headings_in_items_apart(root)
    _keep_headings_of_details(root)
    _unfold_layout_tables(root)
    _gather_running_text(root)
    _level_posts(root)


def _keep_attributions(root: Any) -> None:
    """The footer of a quotation says whose it is."""
    for footer in list(root.iter("footer")):
        if next(footer.iterancestors("blockquote"), None) is not None:
            footer.tag = "p" if next(footer.iterdescendants(*BLOCKS), None) is None else "div"


def _drop_menus(root: Any) -> None:
    """Most of a page's elements are menus, and each of its steps would look at them again."""
    menus = list(root.iter("nav", "menu", "footer", "aside"))
    drop(root, (menu for menu in menus if next(menu.iter("p"), None) is None))


def _keep_words_of_rare_elements(root: Any, plain: bool) -> None:
    """The extractor leaves out elements that it does not know, with all that they say."""
    for box in list(root.iter("center")):
        box.tag = "div"
    for formula in list(root.iter("math")):
        formula.tag = "span"
        if formula.get("alttext") and not plain:
            formula.text = rf"\({formula.text}\)"  # a form that the extractor knows
    etree.strip_tags(root, "font", "ruby", "rb", "rt", "rtc", "rp")


def _unlink_what_has_no_words(root: Any) -> None:
    """A link around an image alone would get the text that follows it for its own. Where none
    follows it stays, for it tells the extractor a picture with its caption from a paragraph."""
    for link in _LINKS_WITHOUT_WORDS(root):
        if (link.tail or "").strip():
            link.tag = "span"


def _keep_times_in_sentences(root: Any) -> None:
    """The extractor drops each ``<time>``, most of which stand in bylines."""
    for time in _TIMES(root):
        in_heading = any(parent.tag in HEADINGS for parent in time.iterancestors())
        if in_heading or (time.tail or "").strip() or _is_numbered(time.getparent()):
            time.tag = "span"


def _is_numbered(element: Any) -> bool:
    return element is not None and element.tag == "li" and bool(element.get(NUMBER))


def _set_headings_in_items_apart(root: Any) -> None:
    """A heading in a list item would run on into the text that follows it.

    Some forums make each post an item, and in those it stays a heading.
    """
    for heading in list(root.iter(*HEADINGS)):
        item = next(heading.iterancestors("li"), None)
        if item is None or len(item.text_content()) > MAX_ITEM_CHARS:
            continue
        heading.tag = "strong"
        following = heading.getnext()
        if (heading.tail or "").strip() or following is not None:
            br = heading.makeelement("br")
            br.tail, heading.tail = heading.tail, None
            heading.addnext(br)


def _keep_headings_of_details(root: Any) -> None:
    """A summary becomes a heading, which would double the one inside it."""
    for summary in _HEADINGS_IN_SUMMARIES(root):
        summary.tag = "div"


def _unfold_layout_tables(root: Any) -> None:
    """A table that lays out a page is no table."""
    for table in list(root.iter("table")):
        if lays_out(table):
            for element in list(table.iterdescendants(*_TABLE_PARTS)):
                if next(element.iterancestors("table"), None) is table:
                    if element.tag in ("td", "th", "caption"):
                        _wrap_loose_text(element)
                    element.tag = "div"
            table.tag = "div"
            for box in table.iter("div", "center"):
                if next(box.iterchildren(*BLOCKS), None) is None:
                    box.tag = "p"  # a box of words alone is a paragraph


def _gather_running_text(root: Any) -> None:
    """Text that stands in a box without a paragraph would be cut at each of its links."""
    boxes = dict.fromkeys(link.getparent() for link in root.iter("a"))
    for box in boxes:
        if box is not None and box.tag in _BOXES:
            words = sum(len((text or "").strip()) for text in (box.text, *(c.tail for c in box)))
            links = sum(len(link.text_content()) for link in box.iterchildren("a"))
            if words >= MIN_RUNNING_CHARS and words > links:
                _wrap_loose_text(box)


def _wrap_loose_text(box: Any) -> None:
    """What stands in a box outside its blocks becomes paragraphs: a box may lose it."""
    run = _paragraph(box.text)
    if run is not None:
        box.text = None
        box.insert(0, run)
    for child in [child for child in box if child is not run]:
        if child.tag in BLOCKS:
            run = _paragraph(child.tail)
            if run is not None:
                child.tail = None  # first, for what is added next to an element takes its tail
                child.addnext(run)
            continue
        if run is None:
            run = child.makeelement("p")
            child.addprevious(run)
        run.append(child)


def _paragraph(text: str | None) -> Any:
    if not (text or "").strip():
        return None
    paragraph = lxml.html.Element("p")
    paragraph.text = text
    return paragraph


def _level_posts(root: Any) -> None:
    """Where a page has several posts, the extractor would take the first one for the article."""
    posts = [
        element
        for element in _NAMED(root)
        if _POST_TYPE.search(element.get("itemtype") or "")
        or (element.tag != "article" and _POST_ID.match(element.get("id") or ""))
    ]
    if len(posts) < 2:
        return
    for post in posts:
        for element in post.iter("div", "section", "article", "td"):
            if element.tag == "article":
                element.tag = "div"
            for name in ("class", "id", "itemprop"):
                if _CONTENT_CLASS.search(element.get(name) or ""):
                    del element.attrib[name]
