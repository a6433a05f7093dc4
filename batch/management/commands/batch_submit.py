"""``manage.py batch_submit``: submit, and with ``--wait`` or ``--drain`` see the job through."""

from __future__ import annotations

import json
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections

from batch import conf, database, dispatch
from batch.exports import FORMS, stream
from batch.loading import load_fetch
from batch.logs import show_events
from batch.management.command import BatchCommand, cli_caller
from batch.management.progress import Progress
from batch.management.sources import parse_options, read_items
from batch.management.tables import table
from batch.parsing import parse_targets
from batch.results import result_rows
from batch.runner import Runner
from batch.words import Job, Submission

LOOK_SECONDS = 0.2
SUMMARY_ROWS = 50
ENDINGS = ", ".join(f".{form}" for form in FORMS)


class Command(BatchCommand):
    help = "Submits URLs as a job. Exit code 1 when every target failed, 2 when it was refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source",
            nargs="+",
            help="URLs, or files (- is standard input): URLs a line, CSV with a url column, JSONL",
        )
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="for all targets"
        )
        parser.add_argument("--wait", action="store_true", help="wait for the end, show progress")
        parser.add_argument("--drain", action="store_true", help="drain here; needs no worker")
        parser.add_argument(
            "--output",
            metavar="FILE",
            help=f"write the results to a file ending in {ENDINGS} (waits, too)",
        )
        parser.add_argument("--caller", help="submit as this caller (default: cli:<login>)")
        parser.add_argument("--json", action="store_true", help="JSON instead of id and table")

    def run(self, **options: Any) -> int:
        output = Path(options["output"]) if options["output"] else None
        if output and output.suffix[1:] not in FORMS:
            raise ValueError(f"--output {output}: give a name that ends in {ENDINGS}")
        targets = parse_targets(read_items(options["source"]), parse_options(options["option"]))
        # What can be refused is refused before anything is stored or fetched.
        if output:
            output.open("a").close()
        if options["drain"]:
            load_fetch(conf.settings().fetch)
            show_events()
        runner = Runner()
        caller = cli_caller() if options["caller"] is None else options["caller"]
        submission = runner.submit(caller, "cli", targets)
        told = submission.id + (" (submitted before)" if submission.reused else "")
        if not (options["wait"] or options["drain"] or output):
            if options["json"]:
                self._json(runner.job(submission.id), submission)
            else:
                self.stdout.write(told)
            dispatch.finish_threads()  # with this process, a drain in it would end
            return 0
        with _ctrl_c() as asked:
            if not options["json"]:
                self.stdout.write(told)
            job = self._see_through(runner, submission.id, options["drain"], asked)
        if output:
            _write(job.id, output)
            self.stderr.write(f"results written to {output}")
        if options["json"]:
            self._json(job, submission)
        else:
            self._summary(runner, job)
        return 1 if job.status == "failed" else 0

    def _see_through(self, runner: Runner, job_id: str, drain: bool, asked: threading.Event) -> Job:
        """The job when it has ended; it is cancelled when that is ``asked``."""
        if drain and connections[database.alias()].in_atomic_block:
            # No other thread sees the job before the caller's transaction, a test's say, ends.
            runner.drain(job_id)
            drain = False
        found = runner.job(job_id)
        if found and found.finished_at:
            drain = False
        failed: list[Exception] = []
        drainer = threading.Thread(target=_drain, args=(runner, job_id, failed), daemon=True)
        progress = Progress(self.stderr, drains=drain)
        try:
            if drain:
                drainer.start()
            while job := runner.job(job_id):
                progress.show(job)
                if job.finished_at and not drainer.is_alive():
                    return job
                if failed:
                    raise failed[0]
                if asked.is_set():
                    asked.clear()
                    runner.cancel(job_id)
                time.sleep(LOOK_SECONDS)
        finally:
            progress.end()
        raise ValueError(f"job {job_id} was removed while it was waited for")

    def _json(self, job: Job | None, submission: Submission) -> None:
        shown = {"job": asdict(job) if job else None, "reused": submission.reused}
        self.stdout.write(json.dumps(shown, cls=DjangoJSONEncoder, ensure_ascii=False))

    def _summary(self, runner: Runner, job: Job) -> None:
        rows = []
        for row, _ in zip(result_rows(job.id), range(SUMMARY_ROWS), strict=False):
            content = row["content"]
            told = row["error"] if content is None else f"{len(content)} characters"
            rows.append((str(row["idx"]), row["status"], row["code"], row["url"], told))
        self.stdout.write(table(("idx", "status", "code", "url", "result"), rows))
        if (left := job.targets_total - len(rows)) > 0:
            self.stdout.write(f"... and {left} more: manage.py batch_status {job.id}")
        if job.status == "cancelled":
            self.stderr.write(
                f"cancelled; kept: the outcomes of {job.targets_done} of {job.targets_total}"
                f" targets. The rest as a new job: manage.py batch_retry {job.id}"
            )


@contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """Set by a Ctrl-C, instead of ending the process. Whoever has been told the job's id can
    rely on that."""
    asked = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _drain(runner: Runner, job_id: str, failed: list[Exception]) -> None:
    try:
        runner.drain(job_id)
    except Exception as error:  # raised again in the command's own thread
        failed.append(error)
    finally:
        connections.close_all()


def _write(job_id: str, output: Path) -> None:
    with output.open("wb") as file:
        file.writelines(stream(output.suffix[1:], job_id))
