"""``manage.py batch_health``: one line and an exit code, for a probe or a monitor."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from batch import conf, database
from batch.ids import process_name
from batch.management.command import BatchCommand
from batch.models import BatchJob, BatchWorker


@dataclass(frozen=True)
class Health:
    """What a probe wants to know. ``host``: the only one looked at, or None for all."""

    healthy: bool
    waiting: int
    workers: int
    slots: int
    busy: int
    dispatch: str
    host: str | None

    def __str__(self) -> str:
        jobs = f"{self.waiting} {'job waits' if self.waiting == 1 else 'jobs wait'}"
        where = " on this host" if self.host else ""
        if self.workers:
            found = f"{self.workers} {'worker' if self.workers == 1 else 'workers'} alive{where}"
            return f"{jobs}, {found}, {self.busy} of {self.slots} slots busy"
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
        health = _look(here=options["here"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(health)))
        elif health.healthy:
            self.stdout.write(str(health))
        else:
            self.stderr.write(str(health))
        return 0 if health.healthy else 1


def _look(*, here: bool) -> Health:
    settings = conf.settings()
    using = database.alias()
    host = _host_of(process_name()) if here else None

    def count() -> tuple[int, list[tuple[str, int, int]]]:
        since = database.now(using) - timedelta(seconds=settings.claim_seconds)
        rows = BatchWorker.objects.using(using).filter(seen_at__gt=since)
        waiting = BatchJob.objects.using(using).claimable().order_by().count()
        return waiting, list(rows.values_list("name", "slots", "busy"))

    waiting, rows = database.repeat(count, using)
    alive = [(slots, busy) for name, slots, busy in rows if host in (None, _host_of(name))]
    # Where something else drains the jobs, it leaves no sign of life to look for.
    needed = here or (waiting and settings.dispatch == "worker")
    return Health(
        healthy=bool(alive) or not needed,
        waiting=waiting,
        workers=len(alive),
        slots=sum(slots for slots, _ in alive),
        busy=sum(busy for _, busy in alive),
        dispatch=settings.dispatch,
        host=host,
    )


def _host_of(name: str) -> str:
    return name.rsplit(":", 2)[0]
