"""Pages that are no pages: bot checks, and shells that scripts would fill."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from ..errors import fail
from ..limits import LOADING_MAX_CHARS, SHELL_MAX_CHARS, WALL_MAX_CHARS
from .tree import body_of, parse

_WALL_MARKS = (
    "cf-challenge", "_cf_chl_opt", "cdn-cgi/challenge-platform/h/",  # Cloudflare
    "cf-error-details",
    "captcha-delivery.com",  # DataDome
    "px-captcha", "perimeterx",  # HUMAN
    "_incapsula_resource", "incapsula incident id",  # Imperva
    "distil_r_captcha", "pardon our interruption",
    "sucuri website firewall",
    "awswafintegration", "gokuprops",  # AWS
    "/_sec/cp_challenge", "ak-challenge", "errors.edgesuite.net",  # Akamai
    "ddos-guard",
    "sgcaptcha",
    "anubis_challenge", "anubis-challenge",  # Anubis
    "recaptcha/challengepage", "vercel security checkpoint",
)  # fmt: skip
_WALL_TITLES = re.compile(
    r"just a moment|attention required|access denied|access to this page has been denied"
    r"|are you a robot|robot check|security check|checking your browser"
    r"|verify(?:ing)? (?:that )?you are (?:a )?human|human verification|ddos protection"
    r"|please verify you are|making sure you.re not a bot|request unsuccessful",
    re.IGNORECASE,
)
_MOUNT_IDS = """
root app __next ___gatsby __nuxt main-app application react-root svelte app-root ember
"""
_MOUNTS = frozenset(_MOUNT_IDS.split())
_MOUNT_TAG = re.compile(r"-(?:app|root)\Z")  # Angular's app-root, and others named like it
_LOADING = re.compile(
    r"\W*(?:loading|please wait|one moment|laden|lädt|chargement|cargando|carregando|caricamento"
    r"|загрузка|読み込み|加载|加載|載入)\w*(?:\W+\w+){0,4}\W*\Z",
    re.IGNORECASE,
)
_JAVASCRIPT = re.compile(r"javascript|js\b", re.IGNORECASE)


def check_walls(source: str, chars: int, title: str | None) -> None:
    """Raise ``access_denied`` for a known bot wall. A long page is never one."""
    if chars > WALL_MAX_CHARS:
        return
    lower = source.lower()
    titled = bool(title and _WALL_TITLES.search(title))
    marked = any(mark in lower for mark in _WALL_MARKS)
    # A mark alone may come from a script on an honest page, which then has something to say.
    if (titled and (marked or chars < WALL_MAX_CHARS // 3)) or (marked and chars < SHELL_MAX_CHARS):
        raise fail(
            "access_denied",
            "the site shows a bot check instead of the page",
            "this site refuses programs; look for another source, or an API of the site",
        )


def is_shell(source: str, chars: int) -> bool:
    """Whether a page waits for scripts to fill it.

    ``chars`` is how much of it can be seen. Few pages show so little, so those are parsed again
    rather than every page kept twice.
    """
    if chars > SHELL_MAX_CHARS:
        return False
    root = parse(source)
    if root is None or not any(map(_runs, root.iter("script"))):
        return False
    asks = any(_JAVASCRIPT.search(n.text_content()) for n in root.iter("noscript"))
    body = body_of(root)
    mount = any(map(_is_empty_mount, body.iterdescendants(etree.Element)))
    says = chars > 0 and re.search(
        r"(?:enable|requires?|need|turn on|activate)\W+(?:\w+\W+){0,4}javascript"
        r"|javascript\W+(?:\w+\W+){0,4}(?:disabled|required|enabled?)",
        body_text(body),
        re.IGNORECASE,
    )
    return bool(chars == 0 or mount or (asks and chars < SHELL_MAX_CHARS // 3) or says)


def _runs(script: Any) -> bool:
    return "json" not in (script.get("type") or "").lower()  # else it only holds facts


def _is_empty_mount(element: Any) -> bool:
    """Whether scripts are to fill it, and all that it says so far is that they will."""
    if element.get("id") not in _MOUNTS and not _MOUNT_TAG.search(element.tag):
        return False
    words = body_text(element).strip()
    return not words or (len(words) <= LOADING_MAX_CHARS and bool(_LOADING.match(words)))


def body_text(body: Any) -> str:
    """The text outside scripts, for pages short enough to look at whole."""
    return " ".join(
        text
        for element in body.iter()
        if element.tag not in ("script", "style", "noscript", "template")
        for text in (element.text,)
        if isinstance(element.tag, str) and text
    )


def needs_javascript() -> Exception:
    return fail(
        "needs_javascript",
        "the page is empty until a browser runs its scripts",
        "look for an API of the site, an RSS feed or a print view; mode raw gives the shell",
    )
