"""Django's settings for the benchmarks: no caps that get in the way, and the database asked for.

BENCH_DATABASE     its URL
BENCH_SYNCHRONOUS  SQLite's setting of that name (default: NORMAL, as in ``sift_batch.settings``)
BENCH_FETCH        the fetch function (default: ``bench.fetches.nothing``)
BENCH_PORT         of the web server that the pipeline may reach on 127.0.0.1
"""

import os

import dj_database_url

os.environ.setdefault("SECRET_KEY", "only-for-benchmarks")

from sift_batch.settings import *  # noqa: F403
from sift_batch.settings import SQLITE_OPTIONS

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": dj_database_url.parse(os.environ["BENCH_DATABASE"])}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    synchronous = os.environ.get("BENCH_SYNCHRONOUS", "NORMAL")
    DATABASES["default"]["OPTIONS"] = {
        **SQLITE_OPTIONS,
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous};",
    }
BATCH = {
    "FETCH": os.environ.get("BENCH_FETCH", "bench.fetches.nothing"),
    "CHILD_DJANGO": False,
    "TARGETS_PER_JOB": 1_000_000,
    "JOBS_PER_CALLER": 1_000_000,
    "JOBS_TOTAL": 1_000_000,
}
SIFT_FETCH = {
    "ALLOWED_NETWORKS": ["127.0.0.1/32"],
    "ALLOWED_PORTS": [int(os.environ.get("BENCH_PORT", "80"))],
}
LOGGING = {
    "version": 1,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"level": "ERROR", "handlers": ["stderr"]},
    "disable_existing_loggers": False,
}
