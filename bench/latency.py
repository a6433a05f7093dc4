"""How long a job waits for an idle worker: from the commit of its submit to its first fetch."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from bench.kinds import PACKAGES, huey_on_sqlite, peers, runner, up
from bench.measure import Say, Scale, Section, Table, at_most, percentile
from bench.places import Places, django_on
from bench.process import Program
from bench.systems import Kind, Peer

START_SECONDS = 60.0
WORD = {
    "runner": "NOTIFY",
    "runner on SQLite": "a look at `data_version` every 50 ms",
    "procrastinate": "NOTIFY",
    "django-tasks-db": "a poll every second",
    "django-q2": "a poll every 0.2 s",
    "Celery": "a blocking read of Redis",
    "huey on Redis": "a blocking read of Redis",
    "huey": "polls, after 0.1 s and then more and more seldom",
}
PROMISED = {"runner": (10, 20), "runner on SQLite": (60, 100)}  # ms: median, 95 of 100
REMARK = (
    "A worker process of each, one item at a time, at the same time and with its default settings"
    " for waiting; they get an item in turns, idle before each. The runner's time runs from the"
    " commit, with thread isolation; the others' from the return of what queues a task."
)


def waking(places: Places, scale: Scale, say: Say) -> Section:
    kinds = _kinds(places)
    with up(kinds, places, say) as systems, ExitStack() as stack:
        say(f"{scale.submits} submits to each of {len(kinds)} idle workers")
        waits = [
            Wait(peer, stack.enter_context(peer.kind.workers(1)[0])) for peer in systems.values()
        ]
        for _ in range(scale.submits + 1):
            for wait in waits:
                wait.once()
    found = {wait.name: (wait.percent(50), wait.percent(95)) for wait in waits}
    rows = []
    for name, (middle, most) in PROMISED.items():
        rows.append(at_most(f"{name}: median", found[name][0], middle, "ms"))
        rows.append(at_most(f"{name}: 95 of 100", found[name][1], most, "ms"))
    lines = [
        [name, f"{middle:.3g} ms", f"{most:.3g} ms", WORD[name]]
        for name, (middle, most) in found.items()
    ]
    heads = ("", "median", "95 of 100", "woken by")
    return Section("Waking an idle worker", rows, REMARK, Table(heads, lines), beside=PACKAGES)


def _kinds(places: Places) -> list[Kind]:
    """What is compared; each notes when it began in a file of its own."""
    ours = runner(django_on(places.postgresql("waking"), BENCH_FETCH="bench.fetches.stamp"))
    small = runner(django_on(places.sqlite("waking"), BENCH_FETCH="bench.fetches.stamp"))
    kinds = [
        ours,
        replace(small, name="runner on SQLite"),
        *(kind for kind in peers(places) if kind.name in WORD),
        huey_on_sqlite(places, "waking-huey"),
    ]
    found = []
    for kind in kinds:
        stamps = str(places.folder / f"stamps-{kind.name}")
        found.append(replace(kind, environment={**kind.environment, "BENCH_STAMPS": stamps}))
    return found


class Wait:
    """The milliseconds that each submit to one worker waited."""

    def __init__(self, peer: Peer, worker: Program) -> None:
        self.name = peer.kind.name
        self._peer = peer
        self._worker = worker
        self._stamps = Path(peer.kind.environment["BENCH_STAMPS"])
        self._found: list[float] = []

    def percent(self, percent: int) -> float:
        return percentile(self._found[1:], percent)  # the first is the worker's start

    def once(self) -> None:
        committed = self._peer.submit_stamped()
        self._found.append((self._stamp(len(self._found)) - committed) / 1e6)
        # Never in step with anything that polls.
        time.sleep(random.uniform(0.01, 0.05))

    def _stamp(self, number: int) -> int:
        ends = time.monotonic() + START_SECONDS
        while time.monotonic() < ends and self._worker.runs:
            lines = self._stamps.read_text().splitlines() if self._stamps.exists() else []
            if len(lines) > number:
                return int(lines[number])
            time.sleep(0.002)
        raise RuntimeError(f"the worker of {self.name} fetched nothing")
