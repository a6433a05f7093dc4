"""What a page says about itself."""

from __future__ import annotations

import logging
import re
from copy import copy
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

import lxml.html
from lxml import etree

from ..address import masked
from ..limits import LARGE_PAGE_ELEMENTS
from ..meta import Meta, iso
from .tree import base_url, has_more_elements

logger = logging.getLogger("sift_batch.fetch")

_REFRESH = re.compile(r"\s*([\d.]+)\s*(?:[;,]?\s*(?:url\s*=\s*)?(.*))?\Z", re.I | re.S)
_PUBLISHED = ("article:published_time", "og:published_time", "datepublished", "date")
_BYLINE_WORDS = (
    "uthor", "yline", "writer", "posted-by", "submitted-by", "username", "screenname",
)  # fmt: skip
_MAYBE_BYLINE = etree.XPath(
    "(//*[@class or @id or @itemprop or @rel][@rel='author' or contains(@itemprop, 'author')"
    " or contains(@id, 'uthor') or "
    + " or ".join(f"contains(@class, '{word}')" for word in _BYLINE_WORDS)
    + "][not(self::body or self::html)] | //author)"
    "[not(ancestor::*[contains(@class, 'omment') or contains(@id, 'omment')])]"
)
_SPACE = re.compile(r"\s+")


def describe(root: Any, url: str, meta: Meta) -> None:
    """Title, author and the like into ``meta``; what is unknown stays null."""
    meta.set(
        title=_text(root.findtext(".//title")),
        language=_text(root.get("lang") or root.get("xml:lang")),
        canonical_url=canonical(root, url),
    )
    published = _published(root)
    meta.set(published_at=published)
    try:
        found = _found(_worth_searching(root), url, dated=published is not None)
    except MemoryError:
        raise
    except Exception:
        # Guesses about a page must not cost its text. That they broke is told, and not taken for
        # a page that says nothing of itself.
        logger.warning("page_metadata_unreadable", exc_info=True)
        meta.warn("metadata_unreadable", "the search for title, author and the like broke")
        return
    meta.set(
        title=_text(found.title) or meta.get("title"),
        description=_text(found.description),
        author=_text(found.author),
        site_name=_text((found.sitename or "").lstrip("@")),
        published_at=published or found.date or None,
    )


def _found(page: Any, url: str, *, dated: bool) -> Any:
    """What trafilatura knows to find, less the licence and the tags: half of the time that its
    own function takes goes there. ``dated``: the day is known, and better than by a search."""
    from htmldate import find_date
    from trafilatura.metadata import (
        examine_meta,
        extract_author,
        extract_meta_json,
        extract_sitename,
        extract_title,
    )

    found = examine_meta(page)
    if found.author and " " not in found.author:
        found.author = None  # an account rather than a name
    try:
        found = extract_meta_json(page, found)
    except MemoryError:
        raise
    except Exception:  # it trips over JSON-LD of a shape that it does not expect
        logger.info("json_ld_unreadable", exc_info=True)
    found.title = found.title or extract_title(page)
    found.author = found.author or extract_author(_bylines(page))
    found.sitename = found.sitename or extract_sitename(page)
    if not dated:
        found.date = find_date(page, original_date=True, extensive_search=False, url=url)
    found.clean_and_trim()
    return found


def _bylines(page: Any) -> Any:
    """What may name an author, by itself: trafilatura looks with expressions that take as long
    on a whole page as finding the article does. Who comments is no author."""
    bylines = lxml.html.Element("body")
    taken: set[Any] = set()
    for element in _MAYBE_BYLINE(page):
        if taken.isdisjoint(element.iterancestors()):
            taken.add(element)
            bylines.append(copy(element))
    return bylines


def _published(root: Any) -> str | None:
    """The moment of publication, when the page tells it to the second and with its zone."""
    for element in root.iter("meta"):
        name = element.get("property") or element.get("itemprop") or element.get("name") or ""
        if name.lower() not in _PUBLISHED:
            continue
        try:
            moment = datetime.fromisoformat((element.get("content") or "").strip())
            if moment.tzinfo is not None:
                return iso(moment)
        except (ValueError, OverflowError):  # the first day of all, east of Greenwich
            continue
    return None


def _worth_searching(root: Any) -> Any:
    """The page, or a copy of its head when searching the whole would take too long."""
    if not has_more_elements(root, LARGE_PAGE_ELEMENTS):
        return root  # what searches it changes nothing
    page = lxml.html.Element("html", root.attrib)
    page.extend(copy(head) for head in root.findall("head"))
    return page


def canonical(root: Any, url: str) -> str | None:
    """The address that the page claims as its own."""
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and link.get("href"):
            try:
                claimed = urljoin(base_url(root, url), link.get("href").strip())
            except ValueError:
                return None
            return masked(claimed) if claimed.startswith(("http://", "https://")) else None
    return None


def refresh(root: Any, url: str, header: str) -> tuple[float, str] | None:
    """Seconds and target of a refresh that leads elsewhere: by a ``<meta>``, or the ``header`` of
    that name, which browsers obey in the same words
    (https://html.spec.whatwg.org/multipage/document-lifecycle.html#the-refresh-header)."""
    said = [(header, url)]
    for element in root.iter("meta"):
        if (element.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        if next(element.iterancestors("noscript", "template"), None) is None:
            said.append((element.get("content") or "", base_url(root, url)))
    for text, base in said:
        match = _REFRESH.match(text)
        if match is None or not match[2]:
            continue
        target = match[2].strip()
        quote = target[:1]
        if quote in ("'", '"'):
            target = target[1:].partition(quote)[0]
        try:
            absolute, seconds = urljoin(base, target.strip()), float(match[1])
        except ValueError:
            continue
        if absolute.startswith(("http://", "https://")):
            return (seconds, absolute) if absolute != url else None
    return None


def _text(value: str | None) -> str | None:
    return _SPACE.sub(" ", value).strip()[:2000] or None if value else None
