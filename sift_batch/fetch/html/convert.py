"""From a parsed page to a document, by mode."""

from __future__ import annotations

import logging
from copy import copy
from typing import Any

from ..document import Document
from ..errors import fail
from ..limits import BODY_OVER_ARTICLE, MAX_ARTICLE_ELEMENTS, SHORT_ARTICLE_CHARS
from ..meta import Meta
from . import walls
from .article import article, is_forum
from .controls import drop_controls
from .head import describe
from .index import lost_links_outweigh, mostly_lost_links, mostly_teasers
from .numbers import choose_numbers
from .powers import write_powers
from .small import small_page
from .symbols import write_quotation_marks, write_symbols
from .tables import free_captions
from .tree import base_url, body_of, drop_invisible, make_links_absolute, visible_chars
from .writer import written

logger = logging.getLogger("sift_batch.fetch")


def convert_html(root: Any, source: str, url: str, mode: str, meta: Meta) -> Document:
    """``root`` is the parsed ``source``, ``mode`` is auto, article, full or text, and ``url`` is
    what links are relative to.

    Raises ``empty_content``, ``needs_javascript`` or ``access_denied``.
    """
    if root is None:
        raise _empty("the page is empty")
    drop_controls(root)
    write_symbols(root)
    describe(root, url, meta)
    make_links_absolute(root, base_url(root, url))
    forum = is_forum(root)
    drop_invisible(root)
    chars = visible_chars(root)
    walls.check_walls(source, chars, meta.get("title"))
    if walls.is_shell(source, chars):
        raise walls.needs_javascript()
    if chars == 0:
        raise _empty("the page shows no text")
    plain = mode == "text"
    choose_numbers(root)
    free_captions(root)
    write_quotation_marks(root)
    write_powers(root, plain=plain)
    content = "" if mode == "full" else _article(root, chars, mode, meta, forum=forum)
    if content:
        whole = "" if plain else small_page(root, content)
        content = whole or content
        extractor = "lxml" if whole else "trafilatura"
        meta.set(extractor=extractor, mode_used="text" if plain else "article")
    else:
        content = written(body_of(root), plain=plain)
        meta.set(extractor="lxml", mode_used="text" if plain else "full")
    if not content:
        raise _empty("the page shows no text")
    return Document(content, "text" if plain else "markdown")


def _article(root: Any, chars: int, mode: str, meta: Meta, *, forum: bool) -> str:
    """The main content; empty where ``auto`` and ``text`` have to take the whole page."""
    try:
        limit = None if mode == "article" else MAX_ARTICLE_ELEMENTS
        content = article(copy(root), plain=mode == "text", forum=forum, max_elements=limit)
    except MemoryError:
        raise  # the runner's own limit, which it reports as such
    except Exception:
        # Whatever breaks the extraction must not cost the page, which can be had as a whole. That
        # it broke is told, and not taken for a page without a main content.
        logger.warning("article_extraction_failed", exc_info=True)
        if mode == "article":
            raise fail(
                "too_complex",
                "the extraction of the main content broke",
                "ask for mode full or raw",
            ) from None
        meta.warn("main_content_not_found", "the extraction broke, so this is the whole page")
        return ""
    if mode == "article":
        if not content:
            raise _empty("the page has no main content")
        return content
    short = len(content) < SHORT_ARTICLE_CHARS and (
        chars > BODY_OVER_ARTICLE * len(content) or lost_links_outweigh(content, root)
    )
    index = mostly_lost_links(content, root) or mostly_teasers(content, root)
    if content and not short and not index:
        return content
    meta.warn(
        "main_content_not_found",
        "no main content could be told apart, so this is the whole page",
    )
    return ""


def _empty(message: str) -> Exception:
    return fail("empty_content", message, "try mode full or raw, or check the URL in a browser")
