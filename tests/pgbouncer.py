"""A real PgBouncer of our own, between the tests and PostgreSQL, in transaction mode."""

import atexit
import os
import subprocess
import time
from pathlib import Path

import dj_database_url

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin"
# `auth_type = any` takes everybody for the user of the database's line. Few connections of a
# kind, so that one client's next transaction does go to another's.
SETTINGS = """
[databases]
* = host={host} port={port} user={user} {password}
[pgbouncer]
listen_addr =
listen_port = {listen}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
logfile = {folder}/log
"""
LISTEN = 6432


def start(url: str, folder: Path) -> tuple[str, int]:
    """Start one in `folder`, before the server at `url`; where it listens. It ends with this
    process."""
    server = dj_database_url.parse(url)
    folder.mkdir()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        SETTINGS.format(
            host=server["HOST"],
            port=server["PORT"] or 5432,
            user=server["USER"],
            password=f"password={server['PASSWORD']}" if server["PASSWORD"] else "",
            listen=LISTEN,
            folder=folder,
        )
    )
    folder.chmod(0o777)
    process = subprocess.Popen(
        ["pgbouncer", "--quiet", str(settings)],
        env={**os.environ, "PATH": PATH},
        user=_who(server["HOST"]),
        cwd="/",
    )
    atexit.register(process.terminate)
    ends = time.monotonic() + 10
    while not (folder / f".s.PGSQL.{LISTEN}").exists():
        if process.poll() is not None or time.monotonic() > ends:
            raise RuntimeError(f"PgBouncer does not start; see {folder}")
        time.sleep(0.05)
    return str(folder), LISTEN


def _who(host: str) -> str | int | None:
    """PgBouncer refuses to run as root. Whoever owns the server's socket may use it."""
    if os.geteuid() != 0:
        return None
    return Path(host).stat().st_uid if host.startswith("/") else "nobody"
