"""What can be said of the settings without a database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from batch import conf
from batch.database import CONFLICT_SECONDS
from batch.loading import load

E_NOT_A_DICT = "batch.E001"
E_UNKNOWN_KEY = "batch.E002"
E_BAD_VALUE = "batch.E003"
E_NOT_LOADED = "batch.E004"
W_NO_LANE = "batch.W003"
W_PROPORTIONS = "batch.W004"
W_NO_LIMITS = "batch.W005"
W_CAP_OUT_OF_REACH = "batch.W006"
W_NO_FETCH = "batch.W010"

CELERY = "celery.Celery"
LIMITS = ("TARGET_TIMEOUT_SECONDS", "TARGET_MEMORY_BYTES")
# A worker renews its claims when a quarter of them has passed. What is left has to outlast a
# renewal that waits for a locked database.
SHORTEST_CLAIM_SECONDS = CONFLICT_SECONDS * 4 / 3


@register("batch")
def check_settings(**kwargs: Any) -> list[CheckMessage]:
    raw = getattr(django_settings, "BATCH", {})
    if faults := conf.faults(raw):
        return [Error(fault.message, hint=fault.hint, id=_id(fault)) for fault in faults]
    settings = conf.settings()
    return [
        *_not_loaded(settings),
        *_proportions(settings),
        *_limits(settings, [key for key in LIMITS if raw.get(key)]),
        *_caps(settings),
        *_lanes(settings),
    ]


def _not_loaded(settings: conf.Settings) -> Iterator[CheckMessage]:
    """What a web process calls is an error; FETCH, which it may lack, a warning."""
    dispatch = None if settings.dispatch in conf.DISPATCHES else settings.dispatch
    paths = [
        ("VALIDATE", settings.validate),
        ("LANE", settings.lane),
        ("CALLER", settings.caller),
        ("DISPATCH", CELERY if settings.dispatch == "celery" else dispatch),
    ]
    for key, path in paths:
        if problem := _problem(key, path):
            hint = "name a function that can be imported from here"
            if path == CELERY:
                hint = "install celery: pip install celery"
            yield Error(problem, hint=hint, id=E_NOT_LOADED)
    if problem := _problem("FETCH", settings.fetch):
        hint = "whatever drains needs it; silence this where no worker ever runs"
        yield Warning(problem, hint=hint, id=W_NO_FETCH)


def _problem(key: str, path: str | None) -> str:
    try:
        if path is not None:
            load(key, path)
    except ImproperlyConfigured as error:
        return str(error)
    return ""


def _proportions(settings: conf.Settings) -> Iterator[CheckMessage]:
    ttl = settings.ttl.total_seconds()
    if settings.claim_seconds < SHORTEST_CLAIM_SECONDS:
        yield Warning(
            f"CLAIM_SECONDS is {settings.claim_seconds:g}: a living worker may lose its jobs"
            f" when a write has to wait, which it does for up to {CONFLICT_SECONDS:g} seconds",
            hint=f"set it to {SHORTEST_CLAIM_SECONDS:g} or more",
            id=W_PROPORTIONS,
        )
    if settings.claim_seconds > ttl:
        yield Warning(
            f"CLAIM_SECONDS, {settings.claim_seconds:g}, is over TTL_SECONDS, {ttl:g}: the job"
            " of a dead worker counts as live for longer than results are kept",
            hint="a minute or two is enough for a worker to be silent",
            id=W_PROPORTIONS,
        )
    if settings.target_timeout_seconds > ttl:
        yield Warning(
            f"TARGET_TIMEOUT_SECONDS, {settings.target_timeout_seconds:g}, is over TTL_SECONDS,"
            f" {ttl:g}: a job's lease may lapse while a target is fetched, and the same"
            " submission is then not found again",
            hint="let results be kept for longer than one target may take",
            id=W_PROPORTIONS,
        )


def _limits(settings: conf.Settings, given: list[str]) -> Iterator[CheckMessage]:
    if settings.isolation == "thread" and given:
        yield Warning(
            f'ISOLATION is "thread", which cannot enforce {" and ".join(given)}',
            hint='set ISOLATION to "process", or leave the limits out',
            id=W_NO_LIMITS,
        )


def _caps(settings: conf.Settings) -> Iterator[CheckMessage]:
    """JOBS_TOTAL counts the jobs of all classes, so it bounds each caller's too."""
    places = {"": "BATCH", **{name: f"CLASSES[{name!r}]" for name in settings.classes}}
    for name, place in places.items():
        caps = settings.caps(name)
        if caps.jobs_per_caller > caps.jobs_total:
            yield Warning(
                f"{place}: JOBS_PER_CALLER, {caps.jobs_per_caller}, is over JOBS_TOTAL,"
                f" {caps.jobs_total}, so no caller can ever have that many",
                hint="raise JOBS_TOTAL there, or lower JOBS_PER_CALLER",
                id=W_CAP_OUT_OF_REACH,
            )


def _lanes(settings: conf.Settings) -> Iterator[CheckMessage]:
    if settings.lane_rules and settings.lane is None:
        yield Warning(
            "PER_LANE or LANE_PAUSE_SECONDS is set, but no target has a lane, so none waits",
            hint='name what gives it, such as LANE = "sift_batch.wiring.lane" (the host)',
            id=W_NO_LANE,
        )


def _id(fault: conf.Fault) -> str:
    if not fault.key:
        return E_NOT_A_DICT
    return E_BAD_VALUE if fault.key in conf.KEYS else E_UNKNOWN_KEY
