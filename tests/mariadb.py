"""A real MariaDB server of our own, from what is installed on this machine."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

# Small and quick to start: it holds a few rows.
OPTIONS = (
    "--no-defaults",
    "--user=root",
    "--bind-address=127.0.0.1",
    "--innodb-buffer-pool-size=32M",
    "--innodb-log-file-size=16M",
    "--character-set-server=utf8mb4",
    "--skip-log-bin",
)


def installed() -> bool:
    return all(shutil.which(name) for name in ("mariadbd", "mariadb-install-db"))


class Server:
    """A server with its data in `folder` and a port of its own, where root has no password."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                "--user=root",
                f"--datadir={folder / 'data'}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
            check=True,
            capture_output=True,
        )

    @property
    def url(self) -> str:
        return f"mysql://root@127.0.0.1:{self.port}/sift_batch"

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    "mariadbd",
                    *OPTIONS,
                    f"--datadir={self._folder / 'data'}",
                    f"--socket={self._folder / 'socket'}",
                    f"--pid-file={self._folder / 'pid'}",
                    f"--port={self.port}",
                ],
                stdout=log,
                stderr=log,
            )
        ends = time.monotonic() + 60
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < ends, "MariaDB does not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        create = "CREATE DATABASE IF NOT EXISTS sift_batch CHARACTER SET utf8mb4"
        asked = subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={self._folder / 'socket'}", "-e", create],
            capture_output=True,
            check=False,
        )
        return asked.returncode == 0

    def stop(self, *, kill: bool = False) -> None:
        """In good order, or as a loss of power does."""
        if self._process is not None:
            self._process.kill() if kill else self._process.terminate()
            self._process.wait(60)
            self._process = None
