from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from batch.management.command import BatchCommand
from batch.runner import Runner


class Command(BatchCommand):
    help = "Removes the jobs whose lease has lapsed, with their results. Live jobs never."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say how many")

    def run(self, **options: Any) -> int:
        count = Runner().purge(dry_run=options["dry_run"])
        verb = "would be removed" if options["dry_run"] else "removed"
        self.stdout.write(f"{count} expired {'job' if count == 1 else 'jobs'} {verb}")
        return 0
