"""A worker that cannot fetch says why in one line and does not start."""

from pathlib import Path
from typing import Any

import pytest

from batch.models import BatchWorker
from tests.processes import Processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.only_on("sqlite")]

BROKEN = """
import os

unpicklable = lambda context, target: None


class Unloadable:
    def __reduce__(self):
        return (int, ("not a number",))

    def __call__(self, context, target):
        return None


unloadable = Unloadable()
"""


def test_a_worker_that_cannot_fetch_says_why_in_one_line(
    processes: Processes, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "broken_import.py").write_text("raise RuntimeError('it breaks')\n")
    (tmp_path / "broken_exit.py").write_text("raise SystemExit('it leaves')\n")
    told: dict[str, str] = {
        "": "FETCH",
        "tests.fetches.nothing_of_this_name": "nothing_of_this_name",
        "nowhere.at.all": "nowhere",
        "tests.fetches.NO_FUNCTION": "not callable",
        "broken.unpicklable": "cannot be sent to a child",
        "broken.unloadable": "not a number",
        "broken_import.fetch": "it breaks",
        "broken_exit.fetch": "it leaves",
        "not a path": "FETCH",
    }

    def start(path: str) -> Any:
        batch = {"FETCH": path} if path else {}
        return processes.manage("batch_worker", batch=batch, env={"PYTHONPATH": str(tmp_path)})

    # All at once: each takes its time to start.
    workers = {path: start(path) for path in told}
    for path, worker in workers.items():
        assert worker.wait(60) == 1, path
        lines = [line for line in worker.err.splitlines() if " INFO " not in line]
        assert len(lines) == 1, worker.err
        assert told[path] in lines[0]
        assert "Traceback" not in worker.out + worker.err
    assert not BatchWorker.objects.exists()
