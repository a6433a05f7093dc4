"""What the demo writes to the terminal.

Everything goes through :func:`printable`: a page that was fetched, a URL or a server's words may
hold the sequences that move a cursor, rename a window or paste text.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from typing import TextIO

BAR_CHARS = 30
COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32"}


def printable(text: str) -> str:
    """``text`` on one line, without what a terminal would obey instead of showing."""
    return "".join(c if c.isprintable() else " " for c in text)


def cut(text: str, columns: int) -> str:
    """``text`` in at most so many columns, with an ellipsis where it was cut."""
    taken = end = 0
    for place, char in enumerate(text, start=1):
        taken += _width(char)
        if taken > columns:
            return text[:end].rstrip() + "…"
        if taken < columns:
            end = place
    return text


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Screen:
    """Lines, colours where they can be shown, and one line of progress that renews itself."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._colours = self._live and "NO_COLOR" not in os.environ
        self.columns = max(60, min(100, shutil.get_terminal_size((96, 24)).columns))
        self._progress = ""

    def line(self, text: str = "", colour: str = "", *, indent: int = 0) -> None:
        """One line, cut where the terminal would break it."""
        shown = " " * indent + cut(printable(text), self.columns - indent)
        if colour and self._colours:
            shown = f"\x1b[{COLOURS[colour]}m{shown}\x1b[0m"
        self._write(shown.rstrip(" ") + "\n")

    def wrapped(self, text: str, colour: str = "", *, indent: int = 0) -> None:
        """As many lines as ``text`` needs."""
        for line in textwrap.wrap(printable(text), self.columns - indent):
            self.line(line, colour, indent=indent)

    def whole(self, text: str) -> None:
        """A line to be copied from: never cut."""
        self._write(printable(text) + "\n")

    def progress(self, done: int, total: int, words: str) -> None:
        """A bar on a terminal; elsewhere a line whenever the words changed."""
        if words == self._progress:
            return
        self._progress = words
        if self._live:
            filled = round(BAR_CHARS * done / total) if total else 0
            bar = "█" * filled + "░" * (BAR_CHARS - filled)
            self._write(f"\r  {bar} {printable(words)}\x1b[K")
        else:
            self.line(words, indent=2)

    def end_progress(self) -> None:
        if self._progress and self._live:
            self._write("\n")
        self._progress = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
