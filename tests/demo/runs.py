"""Programs of the project, run as a user runs them: processes in a folder of their own."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil

from tests.processes import ROOT

KEPT = ("PATH", "HOME", "LANG", "TMPDIR")


def environment(**more: str) -> dict[str, str]:
    """What a user's shell has, and nothing of this run's own."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **more}


class Program:
    """`python ARGS` in `folder`. What it says goes to a file there."""

    def __init__(self, *args: str, folder: Path, **env: str) -> None:
        handle, name = tempfile.mkstemp(".said", dir=folder)
        os.close(handle)
        self._said = Path(name)
        with self._said.open("wb") as output:
            self._popen = subprocess.Popen(
                [sys.executable, *args],
                cwd=folder,
                env=environment(**env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self._process = psutil.Process(self._popen.pid)

    @property
    def said(self) -> str:
        return self._said.read_text(encoding="utf-8")

    def family(self) -> list[psutil.Process]:
        """Itself and whatever it started, and so on down."""
        return [self._process, *self._process.children(recursive=True)]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self._popen.send_signal(number)

    def wait(self, seconds: float = 60) -> int:
        return self._popen.wait(seconds)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._popen.poll() is None:
            for process in reversed(self.family()):
                process.kill()
            self._popen.wait()


def run(*args: str, folder: Path, **env: str) -> str:
    """What `python ARGS` said; it has to end well."""
    with Program(*args, folder=folder, **env) as program:
        code = program.wait()
        assert code == 0, program.said
        return program.said


def left(family: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run."""
    _, alive = psutil.wait_procs(family, timeout=5)
    return alive
