"""One system under test is one process, which does what it is asked, line by line.

So that no system shares another's interpreter, and all of them stay warm while their rounds
alternate.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
END_SECONDS = 30.0
LONGEST_SECONDS = 300.0


class System:
    """The parent's end of ``python -m bench.child MODULE``."""

    def __init__(self, module: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.child", module],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer("its start")

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, what: str, **how: Any) -> Any:
        self.begin(what, **how)
        return self._answer(what)

    def begin(self, what: str, **how: Any) -> None:
        """Ask, and let :meth:`answer` wait for what comes of it."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([what, how]) + "\n")
        self._process.stdin.flush()

    def answer(self, seconds: float) -> Any:
        """The answer to what was begun, or None when it takes longer than that."""
        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        return self._answer("what was begun") if ready else None

    def _answer(self, what: str) -> Any:
        assert self._process.stdout
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self._process.args} ended when asked for {what}")
        return json.loads(answer)

    def __enter__(self) -> System:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)


class Program:
    """A process that is only started and ended, such as a worker."""

    def __init__(self, *argv: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *argv],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        self.pid = self._process.pid

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def family(self) -> list[psutil.Process]:
        """It and all that it started."""
        parent = psutil.Process(self.pid)
        return [parent, *parent.children(recursive=True)]

    def wait(self) -> None:
        """Until it ends by itself."""
        if self._process.wait(LONGEST_SECONDS):
            raise RuntimeError(f"{self._process.args} ended with {self._process.returncode}")

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        end(self._process)


def end_in_order() -> None:
    """Let SIGTERM end this process as Ctrl-C does, so that those which it started end too."""

    def raise_exit(number: int, frame: object) -> None:
        sys.exit(128 + number)

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, raise_exit)


def end(process: subprocess.Popen[Any]) -> None:
    if process.stdin:
        with contextlib.suppress(BrokenPipeError):  # it is gone already
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
        return
    process.kill()
    process.wait()
