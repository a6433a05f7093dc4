from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from batch.errors import UnknownJobError
from batch.management.command import BatchCommand, known_job
from batch.runner import Runner


class Command(BatchCommand):
    help = "Cancels a live job: its target in flight is still stored, later ones stay pending."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", help="the job's id")

    def run(self, **options: Any) -> int:
        job_id = known_job(options["job"])
        if Runner().cancel(job_id):
            self.stdout.write(f"{job_id} cancelled")
            return 0
        found = Runner().job(job_id)
        if found is None:
            raise UnknownJobError(job_id)
        self.stderr.write(f"{job_id} has ended already: {found.status}")
        return 1
