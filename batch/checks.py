"""System checks: what ``manage.py check`` says about the settings, each with an id and a hint.

They only gather; the rules of the keys are in :mod:`batch.conf`.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, register

from batch import conf

E_NOT_A_DICT = "batch.E001"
E_UNKNOWN_KEY = "batch.E002"
E_BAD_VALUE = "batch.E003"


@register("batch")
def check_settings(**kwargs: Any) -> list[CheckMessage]:
    return [
        Error(fault.message, hint=fault.hint, id=_id(fault))
        for fault in conf.faults(getattr(django_settings, "BATCH", {}))
    ]


def _id(fault: conf.Fault) -> str:
    if not fault.key:
        return E_NOT_A_DICT
    return E_BAD_VALUE if fault.key in conf.KEYS else E_UNKNOWN_KEY
