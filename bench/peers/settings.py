"""Django's settings for the peers that need them: nothing but what they ask for.

BENCH_DATABASE     the database's URL
BENCH_CONCURRENCY  how many processes django-q2's cluster has

A connection stays open from task to task (``CONN_MAX_AGE``) wherever a peer heeds that.
"""

import importlib.util
import os

import dj_database_url

SECRET_KEY = "only-for-benchmarks"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": dj_database_url.parse(os.environ["BENCH_DATABASE"], conn_max_age=None)}
INSTALLED_APPS = ["django_tasks_db", "django_q", "django_celery_results"]
if not importlib.util.find_spec("django.tasks"):  # Django 5.2
    INSTALLED_APPS.append("django_tasks")
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
Q_CLUSTER = {
    "name": "bench",
    "orm": "default",
    "workers": int(os.environ.get("BENCH_CONCURRENCY", "1")),
    "bulk": 50,
    "queue_limit": 100,
    "recycle": 1_000_000,
    "save_limit": 0,  # keep all results; else each success counts and locks those that are kept
    "timeout": 60,
    "retry": 120,
    "log_level": "ERROR",
}
LOGGING = {
    "version": 1,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"level": "ERROR", "handlers": ["stderr"]},
    "disable_existing_loggers": False,
}
