"""Who asks: a request's caller and caller class, as the setting CALLER says."""

from __future__ import annotations

from collections.abc import Callable

from rest_framework.request import Request

from batch import conf
from batch.ids import user_caller
from batch.loading import load


def user(request: Request) -> tuple[str, str]:
    """The default: each user is a caller, and staff are a class of their own."""
    return user_caller(request.user.pk), "staff" if is_staff(request) else "user"


def caller_of(request: Request) -> tuple[str, str]:
    """The caller and the caller class of a request."""
    caller: Callable[[Request], tuple[str, str]] = load("CALLER", conf.settings().caller)
    return caller(request)


def is_staff(request: Request) -> bool:
    # A host's user model need not know of staff.
    return bool(getattr(request.user, "is_staff", False))
