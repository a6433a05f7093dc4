from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from batch.management.command import BatchCommand, known_job
from batch.runner import Runner


class Command(BatchCommand):
    help = "Submits the failed and pending targets of a job that has ended, as a new job."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", help="the job's id")

    def run(self, **options: Any) -> int:
        self.stdout.write(Runner().retry(known_job(options["job"])).id)
        return 0
