"""Progress of one job: a bar on a terminal, a line for each step elsewhere."""

from __future__ import annotations

import time

from django.core.management.base import OutputWrapper
from rich.console import Console

from batch.management.bar import Bar
from batch.words import Job

LINE_EVERY_SECONDS = 5.0


class Progress:
    """Shows the job whenever it changed."""

    def __init__(self, stream: OutputWrapper, *, drains: bool) -> None:
        """``stream``: standard error. ``drains``: this process does the work, so no worker is
        waited for."""
        self._stream = stream
        self._drains = drains
        self._bar = Bar(Console(stderr=True)) if stream.isatty() else None
        self._shown: Job | None = None
        self._shown_at = 0.0

    def show(self, job: Job) -> None:
        if job == self._shown:
            return
        if self._bar:
            self._bar.show(job.targets_done, job.targets_total, self._words(job))
        elif self._due(job):
            self._stream.write(self._words(job))
            self._shown_at = time.monotonic()
        self._shown = job

    def end(self) -> None:
        if self._bar:
            self._bar.end()

    def _due(self, job: Job) -> bool:
        """A log need not have a line for each of many quick targets."""
        ended = job.finished_at is not None
        return ended or time.monotonic() - self._shown_at >= LINE_EVERY_SECONDS

    def _words(self, job: Job) -> str:
        waits = job.started_at is None and not job.finished_at and not self._drains
        waiting = " (waiting for a worker)" if waits else ""
        failed = f", {job.targets_failed} failed" if job.targets_failed else ""
        return f"{job.status} {job.targets_done}/{job.targets_total}{failed}{waiting}"
