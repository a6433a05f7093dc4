"""Worker processes, and what their fetch functions noted down."""

import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Options, Target
from tests.concurrency import eventually
from tests.processes import Process, Processes
from tests.rules.jobs import ROOMY

TERMINAL = {"done", "failed", "partial", "cancelled"}


class Records:
    """The file in which `tests.fetches.record` notes each fetch as it begins."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "fetched"
        self.path.touch()

    def lines(self) -> list[tuple[str, int, int]]:
        """(job, idx, pid) of each fetch, in order."""
        split = [line.split() for line in self.path.read_text().splitlines()]
        return [(job, int(idx), int(pid)) for job, idx, pid in split]

    def twice(self) -> list[tuple[str, int]]:
        """The targets that were fetched more than once."""
        counts = Counter((job, idx) for job, idx, _ in self.lines())
        return [target for target, count in counts.items() if count > 1]

    def targets(self, count: int, seconds: float = 0, name: str = "") -> list[Target]:
        options = Options(question=str(self.path), pages=f"{seconds:g}" if seconds else "")
        return [Target(f"https://e.com/{name}/{i}", options) for i in range(count)]

    def submit(self, count: int, seconds: float = 0, caller: str = "ann") -> str:
        number = BatchJob.objects.count()
        given = self.targets(count, seconds, str(number))
        return Runner(config=ROOMY).submit(caller, "", given).id


def start(
    processes: Processes,
    *args: str,
    wait: bool = True,
    env: dict[str, str] | None = None,
    **batch: Any,
) -> Process:
    """A `batch_worker` that fetches by `tests.fetches.record`, and works already."""
    settings = {"FETCH": "tests.fetches.record", "ISOLATION": "thread", **batch}
    worker = processes.manage("batch_worker", "--poll", "0.1", *args, batch=settings, env=env)
    if wait:
        eventually(lambda: "worker_started" in worker.err or worker.popen.poll() is not None, 30)
        assert worker.popen.poll() is None, worker.err
    return worker


def told(worker: Process, event: str) -> int:
    """How many lines of its log have this event."""
    return len(re.findall(rf"\b{event}\b", worker.err))


def ended(worker: Process, seconds: float = 60) -> bool:
    """Whether it ends in good order when it is told to, without a traceback before."""
    worker.send(signal.SIGTERM)
    code = worker.wait(seconds)
    assert (code, "Traceback" in worker.err) == (0, False), worker.err
    return True


def status(job_id: str) -> str:
    return BatchJob.objects.values_list("status", flat=True).get(id=job_id)


def all_terminal() -> bool:
    return not BatchJob.objects.exclude(status__in=TERMINAL).exists()
