"""The processes that the demo and ``sift_batch.serve`` start: a web server and a worker.

Each is started here and ended here, by its id.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

HOST = "127.0.0.1"
GRACE_SECONDS = 25.0
KILL_AFTER_SECONDS = 10.0
START_SECONDS = 60.0
LOOK_SECONDS = 0.1


class CannotServe(Exception):
    """Why it does not start, or does not go on, in one line."""


class Child:
    """A process that was started here and is ended here."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        log: Path | None = None,
        fds: Sequence[int] = (),
    ) -> None:
        """Its output goes to the file ``log``, or where this process's own goes."""
        self.name = name
        self._log = log
        with contextlib.ExitStack() as opened:
            output = opened.enter_context(log.open("wb")) if log else None
            self._process = subprocess.Popen(
                [sys.executable, "-m", *argv],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                pass_fds=fds,
                # A group of its own: Ctrl-C reaches this process alone, which then ends them.
                start_new_session=True,
            )
        self.pid = self._process.pid

    def check(self) -> None:
        """Raises :class:`CannotServe` when it has ended."""
        code = self._process.poll()
        if code is None:
            return
        raise CannotServe(f"the {self.name} ended by itself, with code {code}{self.log_hint()}")

    def log_hint(self) -> str:
        """Where to read on, as the end of a sentence about its failure."""
        if self._log is None:
            return "; its own words are above"
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return f" ({lines[-1]}); more in {self._log}" if lines else ""

    def ask_to_end(self) -> None:
        self._process.terminate()

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None if it did not end within ``seconds``."""
        try:
            return self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return None

    def end(self, seconds: float = KILL_AFTER_SECONDS) -> int:
        """Ask it to end, and kill it when it does not within ``seconds``; its exit code."""
        self.ask_to_end()
        code = self.wait(seconds)
        if code is None:
            self._process.kill()
            code = self._process.wait()
        return code


def listen(port: int) -> socket.socket:
    """A listening socket here (port 0: any free one). Raises :class:`CannotServe`."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is taken by another program" if taken else f"cannot be used ({error.strerror})"
    except OverflowError:
        why = "is no port number"
    raise CannotServe(f"port {port} {why}; name another: --port N")


def start_web(listener: socket.socket, env: Mapping[str, str], log: Path | None = None) -> Child:
    """gunicorn on a socket that listens already, so that no other program can take its port."""
    argv = ["gunicorn", "sift_batch.wsgi", "--bind", f"fd://{listener.fileno()}"]
    argv += ["--threads", "8", "--graceful-timeout", "5", "--log-level", "warning"]
    argv += ["--no-control-socket"]  # it would be one place for all servers of a user
    # Somebody's options for another server have no business here.
    env = {name: value for name, value in env.items() if name != "GUNICORN_CMD_ARGS"}
    child = Child("web server", argv, env, log=log, fds=[listener.fileno()])
    listener.close()
    return child


def start_worker(env: Mapping[str, str], log: Path | None = None) -> Child:
    argv = ["django", "batch_worker", "--grace", f"{GRACE_SECONDS:g}"]
    return Child("worker", argv, env, log=log)


def wait_for_web(web: Child, port: int) -> None:
    """Until it answers. Raises :class:`CannotServe`."""
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends:
        web.check()
        connection = http.client.HTTPConnection(HOST, port, timeout=START_SECONDS)
        refused = contextlib.suppress(OSError, http.client.HTTPException)
        with contextlib.closing(connection), refused:
            connection.request("GET", "/admin/login/")
            status = connection.getresponse().status
            if status != http.client.OK:
                raise CannotServe(f"the web server answers with HTTP {status}{web.log_hint()}")
            return
        time.sleep(LOOK_SECONDS)
    raise CannotServe(f"the web server did not answer within {START_SECONDS:g} seconds")
