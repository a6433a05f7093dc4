"""A target's options, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from batch.types import Options

from .errors import BadOption
from .pages import PageRange, parse_pages
from .regex import compile_pattern

MODES = ("auto", "article", "full", "text", "raw")


@dataclass(frozen=True)
class Plan:
    """What to do with a page, in the order in which it is done."""

    mode: str
    pages: PageRange | None
    jq: str
    pattern: Any
    """Of grep; None without."""
    context: bool
    question: str
    recover: bool

    @classmethod
    def of(cls, options: Options) -> Plan:
        """Raises :class:`BadOption`. A jq program is left to ``check_programs``."""
        return cls(
            mode=check_mode(options.mode),
            pages=check_pages(options),
            jq=options.jq,
            pattern=compile_pattern(options.grep) if options.grep else None,
            context=options.context,
            question=options.question,
            recover=options.recover,
        )


def check_mode(mode: str) -> str:
    if mode and mode not in MODES:
        raise BadOption(
            "mode", "bad_mode", f"there is no mode {mode[:40]!r}", "use one of " + ", ".join(MODES)
        )
    return mode or "auto"


def check_pages(options: Options) -> PageRange | None:
    if not options.pages:
        return None
    if options.mode == "raw":
        raise BadOption(
            "pages", "bad_pages", "pages cannot be chosen in mode raw", "leave out mode or pages"
        )
    return parse_pages(options.pages)
