"""A job's targets as a table that can be read in eighty columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sift_batch.demo.screen import Screen

INDENT = 12
EXCERPT_LINES = 3


def show_head(screen: Screen) -> None:
    screen.line(f"{'#':>3}  {'status':6} target, options: what came back", "bold")


def show_target(screen: Screen, target: Mapping[str, Any], site: str) -> None:
    """One target: a line about it, then the first lines of its result or why there is none.

    ``site`` is left out of addresses, so that what differs can be read.
    """
    done = target["status"] == "done"
    url = target["url"].removeprefix(site)
    code = f" [{target['code']}]" if target["code"] else ""
    asked = _options(target["options"])
    screen.line(
        f"{target['idx']:>3}  {target['status']:6}{code} {url}{asked and f'  {asked}'}",
        "green" if done else "red",
    )
    if done:
        _show_result(screen, target["result"], site)
    elif target["error"]:
        screen.wrapped(target["error"], indent=INDENT)
        screen.wrapped(f"hint: {target['hint']}", indent=INDENT)


def _options(options: Mapping[str, Any]) -> str:
    return "  ".join(
        name if value is True else f"{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in options.items()
    )


def _show_result(screen: Screen, result: Mapping[str, Any], site: str) -> None:
    lines = [line for line in result["content"].splitlines() if _says_something(line)]
    for line in lines[:EXCERPT_LINES]:
        screen.line(" ".join(line.split()), indent=INDENT)
    if notes := list(_notes(result["meta"], len(lines), site)):
        screen.wrapped(f"({'; '.join(notes)})", "dim", indent=INDENT)


def _says_something(line: str) -> bool:
    """Not an empty line, the number of one beside a match, a PDF's page mark or a gap's."""
    return not re.fullmatch(r"(p?[\d:]+-|<!-- page \d+ -->|\[…\]|--)?\s*", line)


def _notes(meta: Mapping[str, Any], lines: int, site: str) -> Iterator[str]:
    if lines == 0:
        yield "nothing is left of the text"
    if (more := lines - EXCERPT_LINES) > 0:
        yield f"and {more} more line{'s' if more > 1 else ''}"
    if meta.get("redirects"):
        yield f"redirected to {str(meta.get('final_url')).removeprefix(site)}"
    if meta.get("charset") not in (None, "utf-8", "ascii"):
        yield f"its encoding is {meta['charset']}"
    if meta.get("recovered"):
        yield f"the page is gone: an archive's copy of {str(meta.get('archived_at'))[:10]}"
    for warning in meta.get("warnings") or []:
        yield f"warning {warning['code']}"
