"""System checks: what ``manage.py check`` says about the settings, each with an id and a hint.

They only gather; the rules of the keys are in :mod:`batch.conf`.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from batch import conf, database
from batch.loading import load

E_NOT_A_DICT = "batch.E001"
E_UNKNOWN_KEY = "batch.E002"
E_BAD_VALUE = "batch.E003"
E_NOT_LOADED = "batch.E004"
E_NO_AUTOCOMMIT = "batch.E005"
CELERY = "celery.Celery"
W_SQLITE = "batch.W001"
W_LOCAL_TIME = "batch.W002"
W_NO_LANE = "batch.W003"


@register("batch")
def check_settings(**kwargs: Any) -> list[CheckMessage]:
    if faults := conf.faults(getattr(django_settings, "BATCH", {})):
        return [Error(fault.message, hint=fault.hint, id=_id(fault)) for fault in faults]
    settings = conf.settings()
    found = _not_loaded(settings)
    if settings.lane_rules and settings.lane is None:
        found.append(
            Warning(
                "PER_LANE or LANE_PAUSE_SECONDS is set, but no target has a lane, so none waits",
                hint='name what gives it, such as LANE = "sift_batch.wiring.lane" (the host)',
                id=W_NO_LANE,
            )
        )
    return found


def _not_loaded(settings: conf.Settings) -> list[CheckMessage]:
    """What a web process calls. FETCH is left to what drains: a web process may lack it."""
    paths = {
        "VALIDATE": settings.validate,
        "LANE": settings.lane,
        "CALLER": settings.caller,
        "DISPATCH": {"worker": None, "thread": None, "celery": CELERY}.get(
            settings.dispatch, settings.dispatch
        ),
    }
    found: list[CheckMessage] = []
    for key, path in paths.items():
        try:
            if path is not None:
                load(key, path)
        except ImproperlyConfigured as error:
            hint = (
                "install celery: pip install celery"
                if path == CELERY
                else "name a function that can be imported from here"
            )
            found.append(Error(str(error), hint=hint, id=E_NOT_LOADED))
    return found


@register("batch")
def check_database(**kwargs: Any) -> list[CheckMessage]:
    options = connections.settings[database.alias()]
    found: list[CheckMessage] = []
    if not options["AUTOCOMMIT"]:
        found.append(
            Error(
                "the runner's database has AUTOCOMMIT off, so nothing that a worker writes would"
                " ever be committed",
                hint="leave AUTOCOMMIT out of it; ATOMIC_REQUESTS is fine",
                id=E_NO_AUTOCOMMIT,
            )
        )
    if not django_settings.USE_TZ and django_settings.TIME_ZONE != "UTC":
        found.append(
            Warning(
                "with USE_TZ off, times are local ones: when the clocks change, the claims of"
                " living workers may seem to have run out",
                hint='set USE_TZ = True, or TIME_ZONE = "UTC"',
                id=W_LOCAL_TIME,
            )
        )
    mode = str(options.get("OPTIONS", {}).get("transaction_mode", "")).upper()
    if options["ENGINE"].endswith("sqlite3") and mode not in ("IMMEDIATE", "EXCLUSIVE"):
        found.append(
            Warning(
                "SQLite begins transactions in deferred mode: one that read first may be refused"
                " as locked at once, whatever the timeout",
                hint='set OPTIONS to {"transaction_mode": "IMMEDIATE", "timeout": 20}',
                id=W_SQLITE,
            )
        )
    return found


def _id(fault: conf.Fault) -> str:
    if not fault.key:
        return E_NOT_A_DICT
    return E_BAD_VALUE if fault.key in conf.KEYS else E_UNKNOWN_KEY
