"""``manage.py batch_try``: one target, fetched here and now, and nothing stored."""

from __future__ import annotations

import contextlib
import json
import logging
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, OutputWrapper

from batch import conf
from batch.errors import InvalidTargetsError
from batch.isolation import InThread, Limits
from batch.loading import load_fetch
from batch.logs import LineFormatter
from batch.management.command import BatchCommand, cli_caller
from batch.management.sources import parse_options
from batch.management.tables import printable_lines
from batch.parsing import parse_targets
from batch.runner import Runner
from batch.words import FetchContext

NO_JOB = str(UUID(int=0))


class Command(BatchCommand):
    help = (
        "Fetches one URL here and now, without a worker or a row. Exit code 1 when the fetch"
        " failed, 2 when the submit of it would be refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url")
        parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
        parser.add_argument(
            "--explain", action="store_true", help="show each step and its time, and the facts"
        )

    def run(self, **options: Any) -> int:
        settings = conf.settings()
        fetch = load_fetch(settings.fetch)
        [target] = parse_targets([options["url"]], parse_options(options["option"]))
        if problems := Runner().check("cli", [target]):
            raise InvalidTargetsError(problems)
        context = FetchContext(
            job_id=NO_JOB,
            idx=0,
            caller=cli_caller(),
            caller_class="cli",
            deadline=datetime.now(UTC) + timedelta(seconds=settings.target_timeout_seconds),
        )
        package = (settings.fetch or "").partition(".")[0]
        with _shown_steps(package, self.stderr) if options["explain"] else contextlib.nullcontext():
            outcome = InThread(fetch, Limits.of(settings)).run(context, target)
        if outcome.result is None:
            if outcome.trace:
                self.stderr.write(outcome.trace)
            if options["explain"] and outcome.details:
                self._facts(json.loads(outcome.details))
            hint = f" ({outcome.hint})" if outcome.hint else ""
            raise CommandError(f"{outcome.code}: {outcome.error}{hint}")
        stored = json.loads(outcome.result)
        if options["explain"]:
            self._facts(stored["meta"])
        content = stored["content"]
        # A page must not move the terminal's cursor; a file gets it as it would be stored.
        self.stdout.write(printable_lines(content) if self.stdout.isatty() else content)
        return 0

    def _facts(self, facts: dict[str, Any]) -> None:
        for name, value in facts.items():
            if value is not None:
                self.stderr.write(f"{name}: {json.dumps(value, ensure_ascii=False)}")


class _Steps(logging.Handler):
    """Writes each record with the time since the one before."""

    def __init__(self, stream: OutputWrapper) -> None:
        super().__init__()
        self.setFormatter(LineFormatter("%(message)s"))
        self._stream = stream
        self._last = time.perf_counter()

    def emit(self, record: logging.LogRecord) -> None:
        now = time.perf_counter()
        self._stream.write(f"{(now - self._last) * 1000:8.1f} ms  {self.format(record)}")
        self._last = now


@contextlib.contextmanager
def _shown_steps(package: str, stream: OutputWrapper) -> Iterator[None]:
    """Show what the fetch function's package logs, down to DEBUG, and nowhere else."""
    logger = logging.getLogger(package)
    handler = _Steps(stream)
    before = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]
