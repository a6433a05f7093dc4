"""A bar on a terminal: how far something is, and how long it has taken."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

BAR_CHARS = 30


class Bar:
    """Renews itself in place until :meth:`end`."""

    def __init__(self, console: Console) -> None:
        self._live = RichProgress(
            BarColumn(BAR_CHARS),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=console,
        )
        self._task = self._live.add_task("", total=None)
        self._live.start()

    def show(self, done: int, total: int, words: str) -> None:
        self._live.update(self._task, completed=done, total=total, description=words)

    def end(self) -> None:
        self._live.stop()
