"""What the demo writes to the terminal.

Everything goes through :func:`printable`: a page that was fetched, a URL or a server's words may
hold the sequences that move a cursor, rename a window or paste text.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TextIO

from rich.console import Console
from rich.text import Text

from batch.management.bar import Bar


def printable(text: str) -> str:
    """``text`` on one line, without what a terminal would obey instead of showing."""
    return "".join(c if c.isprintable() else " " for c in text)


class Screen:
    """Lines, colours where they can be shown, and one line of progress that renews itself."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.columns = max(60, min(100, shutil.get_terminal_size((96, 24)).columns))
        self._console = Console(file=stream or sys.stdout, width=self.columns)
        self._bar: Bar | None = None
        self._progress = ""

    def line(self, text: str = "", colour: str = "", *, indent: int = 0) -> None:
        """One line, cut where the terminal would break it."""
        shown = Text(" " * indent + printable(text).rstrip(" "), colour)
        self._console.print(shown, no_wrap=True, overflow="ellipsis")

    def wrapped(self, text: str, colour: str = "", *, indent: int = 0) -> None:
        """As many lines as ``text`` needs."""
        for line in textwrap.wrap(printable(text), self.columns - indent):
            self.line(line, colour, indent=indent)

    def whole(self, text: str) -> None:
        """A line to be copied from: never cut."""
        self._console.print(Text(printable(text)), soft_wrap=True)

    def progress(self, done: int, total: int, words: str) -> None:
        """A bar on a terminal; elsewhere a line whenever the words changed."""
        if words == self._progress:
            return
        self._progress = words
        if self._console.is_terminal:
            self._bar = self._bar or Bar(self._console)
            self._bar.show(done, total, printable(words))
        else:
            self.line(words, indent=2)

    def end_progress(self) -> None:
        if self._bar:
            self._bar.end()
            self._bar = None
        self._progress = ""
