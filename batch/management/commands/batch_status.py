from __future__ import annotations

import dataclasses
import json
from argparse import ArgumentParser
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from batch.errors import UnknownJobError
from batch.management.command import BatchCommand, known_job
from batch.management.tables import table
from batch.runner import Runner

LATEST = 20


class Command(BatchCommand):
    help = "Shows one job with its targets, or the latest jobs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", nargs="?", help=f"the job's id; without it the last {LATEST}")
        parser.add_argument("--json", action="store_true", help="JSON instead of a table")

    def run(self, **options: Any) -> int:
        if options["job"]:
            self._one(known_job(options["job"]), options["json"])
        else:
            self._latest(options["json"])
        return 0

    def _one(self, job_id: str, as_json: bool) -> None:
        found = Runner().status(job_id)
        if found is None:
            raise UnknownJobError(job_id)
        job, targets = found
        if as_json:
            shown = {
                "job": dataclasses.asdict(job),
                "targets": [dataclasses.asdict(t) for t in targets],
            }
            self._json(shown)
            return
        self.stdout.write(
            f"{job.id} {job.status} {job.targets_done}/{job.targets_total} finished,"
            f" {job.targets_failed} failed" + (f": {job.error}" if job.error else "")
        )
        rows = [(str(t.idx), t.status, t.code, t.url, t.error or _size(t.result)) for t in targets]
        self.stdout.write(table(("idx", "status", "code", "url", "result"), rows))

    def _latest(self, as_json: bool) -> None:
        jobs = Runner().latest(LATEST)
        if as_json:
            self._json([dataclasses.asdict(job) for job in jobs])
            return
        if not jobs:
            self.stdout.write("no jobs")
            return
        rows = [
            (
                job.id,
                job.status,
                f"{job.targets_done}/{job.targets_total}",
                str(job.targets_failed),
                job.caller,
                f"{job.created_at:%Y-%m-%d %H:%M:%S}",
            )
            for job in jobs
        ]
        self.stdout.write(table(("job", "status", "finished", "failed", "caller", "created"), rows))

    def _json(self, shown: Any) -> None:
        self.stdout.write(json.dumps(shown, cls=DjangoJSONEncoder, ensure_ascii=False))


def _size(result: Any) -> str:
    return "" if result is None else f"{len(result.content)} characters"
