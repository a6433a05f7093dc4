"""Processes that a test starts: `manage.py` commands and scripts, on the test's own database."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import connections

from tests.databases import NAMES_VARIABLE

ROOT = Path(__file__).resolve().parent.parent


class Process:
    """One that runs or ran. Its output goes to files, so that no full pipe can stop it."""

    def __init__(self, argv: list[str], env: dict[str, str], folder: Path, name: str) -> None:
        self._out, self._err = folder / f"{name}.out", folder / f"{name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.popen = subprocess.Popen(
                argv,
                env=env,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                # A group of its own, so that teardown reaches its children too.
                start_new_session=True,
            )
        self.pid = self.popen.pid

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def wait(self, seconds: float = 60) -> int:
        """Its exit code; minus the signal's number if one ended it."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s; stderr: {self.err}") from None

    def kill(self) -> None:
        """Ends it and whatever it started; harmless when nothing of it is left."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait()


class Processes:
    """Starts processes and ends, at the end of the test, those that are left.

    They see only what is committed: a test that uses them needs `transactional_db`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Process] = []

    def python(
        self,
        *args: str,
        batch: dict[str, Any] | None = None,
        env: dict[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> Process:
        """`python ARGS` with the tests' settings; `batch` becomes the setting BATCH, and `within`
        is the command that runs it, if any."""
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "TEST_BATCH": json.dumps(batch or {}),
            NAMES_VARIABLE: json.dumps(
                {alias: str(connections[alias].settings_dict["NAME"]) for alias in connections}
            ),
            **(env or {}),
        }
        name = str(len(self._started))
        process = Process([*within, sys.executable, *args], environment, self._folder, name)
        self._started.append(process)
        return process

    def manage(self, *args: str, **how: Any) -> Process:
        """`manage.py ARGS`, started and not waited for."""
        return self.python("manage.py", *args, **how)

    def end_all(self) -> None:
        for process in self._started:
            process.kill()
