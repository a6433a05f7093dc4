"""``manage.py batch_worker``: argv, Unix signals and exit codes around a Worker."""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from django.core.management.base import CommandError
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import Error

from batch import conf, database
from batch.isolation import ChildFailedError
from batch.loading import load_fetch
from batch.logs import show_events
from batch.management.command import BatchCommand
from batch.text import one_line
from batch.worker import Worker

MIGRATIONS_SECONDS = 10.0
MAX_SLOTS = 1000  # each is a thread, a child and a connection
CUT_OFF = 3


class Command(BatchCommand):
    help = "Claims submitted jobs and drains them, until it is told to stop (SIGTERM, SIGINT)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--slots", type=int, default=4, help="jobs drained side by side")
        parser.add_argument(
            "--poll", type=float, default=1.0, metavar="S", help="seconds between looks for a job"
        )
        parser.add_argument(
            "--grace",
            type=float,
            default=25.0,
            metavar="S",
            help="seconds that jobs in hand have to end when told to stop; then they fail",
        )
        parser.add_argument("--isolation", choices=conf.ISOLATIONS, help="instead of the setting")
        parser.add_argument(
            "--sole", action="store_true", help="no other worker lives: fail claimed jobs at once"
        )
        parser.add_argument(
            "--exit-when-idle", action="store_true", help="end when no job waits or runs"
        )
        parser.add_argument(
            "--metrics-port", type=int, metavar="N", help="serve metrics for Prometheus there"
        )

    def run(self, **options: Any) -> int:
        if not 1 <= options["slots"] <= MAX_SLOTS:
            raise ValueError(f"--slots has to be from 1 to {MAX_SLOTS}")
        if not options["poll"] > 0 or not options["grace"] >= 0:
            raise ValueError("--poll has to be above 0, --grace 0 or more")
        show_events()
        if options["metrics_port"] is not None:
            _serve_metrics(options["metrics_port"])
        signals = _Signals()
        with signals.caught():
            return self._work(signals, **options)

    def _work(self, signals: _Signals, **options: Any) -> int:
        settings = conf.settings()
        if options["isolation"]:
            settings = dataclasses.replace(settings, isolation=options["isolation"])
        worker = Worker(
            load_fetch(settings.fetch),
            settings,
            slots=options["slots"],
            poll_seconds=options["poll"],
            grace_seconds=options["grace"],
            sole=options["sole"],
            exit_when_idle=options["exit_when_idle"],
        )
        signals.stop(worker)
        waited = _await_tables(database.alias(), signals)
        if waited is None:
            return 0
        try:
            threads_ended = worker.run(after_outage=waited)
        except ChildFailedError as error:
            raise CommandError(f"the fetch function does not load in a child: {error}") from error
        code = CUT_OFF if worker.jobs_cut_off else 0
        if not threads_ended:
            # A fetch that nothing can stop would keep the interpreter from ending.
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        return code


def _serve_metrics(port: int) -> None:
    if find_spec("prometheus_client") is None:
        raise CommandError("--metrics-port needs prometheus-client: install the extra metrics")
    if not 0 < port < 65536:
        raise ValueError("--metrics-port has to be from 1 to 65535")
    from prometheus_client import start_http_server

    from batch.metrics import events

    events.count()
    start_http_server(port)


class _Signals:
    """SIGTERM and SIGINT set a flag, from the first line on: loading the fetch function takes a
    while, and a worker told to stop meanwhile ends in good order too."""

    def __init__(self) -> None:
        self.count = 0
        self._worker: Worker | None = None

    @contextmanager
    def caught(self) -> Iterator[None]:
        before = {n: signal.signal(n, self._heard) for n in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def stop(self, worker: Worker) -> None:
        """Pass on what was heard, and what will be."""
        self._worker = worker
        for _ in range(self.count):
            worker.stop()

    def _heard(self, *_: Any) -> None:
        self.count += 1
        if self._worker is not None:
            self._worker.stop()


def _await_tables(using: str, signals: _Signals) -> bool | None:
    """Wait for a deploy that starts workers beside its migrations, or a database that comes back;
    a while, not for ever. Whether it had to wait, or None when told to stop meanwhile."""
    waited = False
    ends = time.monotonic() + MIGRATIONS_SECONDS
    while problem := _tables_missing(using):
        if signals.count:
            return None
        if time.monotonic() > ends:
            raise CommandError(problem)
        connections[using].close()
        waited = True
        time.sleep(0.5)
    return waited


def _tables_missing(using: str) -> str:
    try:
        executor = MigrationExecutor(connections[using])
        leaves = [key for key in executor.loader.graph.leaf_nodes() if key[0] == "batch"]
        if executor.migration_plan(leaves):
            return "migrations of the app batch are pending: run manage.py migrate"
    except Error as error:
        return f"the database does not answer: {one_line(str(error))}"
    return ""
