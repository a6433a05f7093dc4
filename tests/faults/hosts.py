"""Hosts with a name and a network of their own, and the database's host between them.

Each is a namespace of the kernel's. One end of a cable is a host's, the other the database's,
which may pull it out. Only root can make them.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from tests.databases import NAMES_VARIABLE
from tests.postgres import Cluster
from tests.processes import Process, Processes

PORT = 5432
TOOLS = ("ip", "unshare", "runuser")


def run(*argv: str) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def why_not() -> str:
    """Why no hosts can be made here; empty where they can."""
    if os.geteuid():
        return "only root can make network namespaces"
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        return f"not installed: {', '.join(missing)}"
    name = f"sift-{secrets.token_hex(4)}"
    try:
        run("ip", "netns", "add", name)
        run("ip", "netns", "delete", name)
    except subprocess.CalledProcessError as error:
        return f"no network namespaces: {error.stderr.strip()}"
    return ""


class Hosts:
    """A PostgreSQL server on a host of its own, and hosts ``1`` to ``count`` at its cables."""

    def __init__(self, folder: Path, count: int) -> None:
        self._prefix = f"sift-{secrets.token_hex(4)}"
        self._cluster = Cluster(folder / "postgres")
        self._numbers = range(1, count + 1)
        self._made: list[str] = []

    def start(self) -> None:
        self._cluster.start()  # makes its files
        self.url = self._cluster.url
        self._cluster.stop()
        database = self._make("db")
        for number in self._numbers:
            host = self._make(str(number))
            ends = ("link", "add", f"to{number}", "type", "veth", "peer", "name", "todb")
            run("ip", "-n", database, *ends, "netns", host)
            for where, end, last in ((database, f"to{number}", 1), (host, "todb", 2)):
                address = f"10.231.{number}.{last}/30"
                run("ip", "-n", where, "address", "add", address, "dev", end)
            run("ip", "-n", host, "link", "set", "todb", "up")
            self.plug_in(number)
        self._listen(database)

    def _make(self, name: str) -> str:
        namespace = f"{self._prefix}-{name}"
        run("ip", "netns", "add", namespace)
        self._made.append(namespace)
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        return namespace

    def _listen(self, namespace: str) -> None:
        """Start the server once more, on its host, where it listens on every cable."""
        server = self._cluster._server
        with (server.pgdata / "pg_hba.conf").open("a") as file:
            file.write("host all all 10.231.0.0/16 trust\n")
        folder = self.url.partition("@")[2].partition("/")[0].replace("%2F", "/")
        self._control(
            "start", "-l", str(server.log), "-o", f'-h "*" -p {PORT} -k {folder}', on=namespace
        )

    def _control(self, *what: str, on: str) -> None:
        server = self._cluster._server
        within = ("ip", "netns", "exec", on, "runuser", "-u", str(server.system_user), "--")
        run(*within, str(server.bin_path / "pg_ctl"), "-w", "-D", str(server.pgdata), *what)

    def end(self) -> None:
        if (self._cluster._server.pgdata / "postmaster.pid").exists():
            # Not the wheel's own way, which knows only of servers that it started itself.
            self._control("stop", "-m", "immediate", on=self._made[0])
        for namespace in self._made:
            run("ip", "netns", "delete", namespace)

    def unplug(self, number: int) -> None:
        run("ip", "-n", f"{self._prefix}-db", "link", "set", f"to{number}", "down")

    def plug_in(self, number: int) -> None:
        run("ip", "-n", f"{self._prefix}-db", "link", "set", f"to{number}", "up")

    def manage(self, processes: Processes, number: int, *args: str, **batch: Any) -> Process:
        """``manage.py ARGS`` on a host, which is called ``host1`` and so on."""
        within = [
            "ip", "netns", "exec", f"{self._prefix}-{number}",
            "unshare", "--uts", "sh", "-c", f'hostname host{number} && exec "$@"', "sh",
        ]  # fmt: skip
        url = f"postgres://postgres@10.231.{number}.1:{PORT}/postgres"
        return processes.manage(*args, batch=batch, env=self._env(url), within=within)

    def here(self, processes: Processes, *args: str) -> Process:
        """``python ARGS`` beside the hosts, by the server's socket."""
        return processes.python(*args, env=self._env(self.url))

    @staticmethod
    def _env(url: str) -> dict[str, str]:
        names = json.dumps({"default": "postgres"})
        return {
            "TEST_DB": "postgres",
            "TEST_WITH": "",
            "TEST_POSTGRES_URL": url,
            NAMES_VARIABLE: names,
        }

    def ask(self, sql: str, *values: Any) -> list[Any]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description else []
