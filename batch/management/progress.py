"""Progress of one job: a bar on a terminal, a line for each step elsewhere."""

from __future__ import annotations

import time
from typing import Any

from batch.words import Job

BAR_CHARS = 30
LINE_EVERY_SECONDS = 5.0


class Progress:
    """Shows the job on ``stream`` whenever it changed."""

    def __init__(self, stream: Any, *, drains: bool) -> None:
        """``drains``: this process does the work, so no worker is waited for."""
        self._stream = stream
        self._drains = drains
        self._bar = bool(getattr(stream, "isatty", lambda: False)())
        self._shown: Job | None = None
        self._shown_at = 0.0

    def show(self, job: Job) -> None:
        if job == self._shown:
            return
        if self._bar:
            share = job.targets_done / job.targets_total if job.targets_total else 0.0
            bar = "█" * round(share * BAR_CHARS)
            self._stream.write(f"\r{bar:░<{BAR_CHARS}} {self._words(job)}\x1b[K", ending="")
            self._stream.flush()
        elif self._due(job):
            self._stream.write(self._words(job))
            self._shown_at = time.monotonic()
        self._shown = job

    def end(self) -> None:
        if self._bar and self._shown:
            self._stream.write("")

    def _due(self, job: Job) -> bool:
        """A log need not have a line for each of many quick targets."""
        ended = job.finished_at is not None
        return ended or time.monotonic() - self._shown_at >= LINE_EVERY_SECONDS

    def _words(self, job: Job) -> str:
        waits = job.started_at is None and not job.finished_at and not self._drains
        waiting = " (waiting for a worker)" if waits else ""
        failed = f", {job.targets_failed} failed" if job.targets_failed else ""
        return f"{job.status} {job.targets_done}/{job.targets_total}{failed}{waiting}"
