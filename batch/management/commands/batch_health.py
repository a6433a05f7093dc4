"""``manage.py batch_health``: one line and an exit code, for a probe or a monitor."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict, dataclass
from typing import Any

from batch import database, health
from batch.ids import process_name
from batch.management.command import BatchCommand


@dataclass(frozen=True)
class Health:
    """What a probe wants to know. ``host``: the only one looked at, or None for all."""

    healthy: bool
    waiting: int
    waiting_seconds: float
    at_lanes: int
    workers: int
    slots: int
    busy: int
    dispatch: str
    host: str | None

    def __str__(self) -> str:
        jobs = f"{_jobs(self.waiting)} {'waits' if self.waiting == 1 else 'wait'}"
        where = " on this host" if self.host else ""
        if self.workers:
            found = f"{self.workers} {'worker' if self.workers == 1 else 'workers'} alive{where}"
            lanes = f", {_jobs(self.at_lanes)} at lanes" if self.at_lanes else ""
            return f"{jobs}, {found}, {self.busy} of {self.slots} slots busy{lanes}"
        told = f"{jobs}, no worker is alive{where}"
        if self.healthy and self.waiting:
            return f"{told}, and none is needed: DISPATCH is {self.dispatch}"
        return told


class Command(BatchCommand):
    help = "Says in one line whether jobs are drained. Exit code 1 when they wait for no worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--here",
            action="store_true",
            help="exit code 1 when no worker is alive on this host, whether or not jobs wait",
        )
        parser.add_argument("--json", action="store_true", help="JSON instead of a line")

    def run(self, **options: Any) -> int:
        found = _look(here=options["here"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found)))
        elif found.healthy:
            self.stdout.write(str(found))
        else:
            self.stderr.write(str(found))
        return 0 if found.healthy else 1


def _look(*, here: bool) -> Health:
    queue = health.look(database.alias())
    host = _host_of(process_name()) if here else None
    alive = [worker for worker in queue.workers if host in (None, _host_of(worker.name))]
    return Health(
        healthy=bool(alive) if here else queue.drained,
        waiting=queue.waiting,
        waiting_seconds=round(queue.waiting_seconds, 3),
        at_lanes=queue.at_lanes,
        workers=len(alive),
        slots=sum(worker.slots for worker in alive),
        busy=sum(worker.busy for worker in alive),
        dispatch=queue.dispatch,
        host=host,
    )


def _jobs(number: int) -> str:
    return f"{number} {'job' if number == 1 else 'jobs'}"


def _host_of(name: str) -> str:
    return name.rsplit(":", 2)[0]
