"""What stands in a query string, each word checked; a wrong one is refused, never guessed at."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from django.conf import settings as django_settings
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from batch.api.problems import Refusal
from batch.models import JobStatus

# A plus sign that nobody encoded arrives as a space.
_LOST_PLUS = re.compile(r"(T.*) (\d\d:?\d\d)\Z")


def one(request: Request, name: str) -> str | None:
    """What is said of ``name``. Said twice, nobody knows what is meant."""
    given = request.query_params.getlist(name)
    if len(given) > 1:
        raise Refusal("invalid_query", f"{name} is given {len(given)} times", "give it once")
    return given[0] if given else None


def limit(request: Request, default: int, most: int) -> int:
    """How many rows a page may have; a wish for more than ``most`` means ``most``."""
    text = one(request, "limit")
    digits = str(default) if text is None else text.lstrip("0")
    if not (digits.isascii() and digits.isdecimal()):
        raise Refusal("invalid_query", "limit must be a whole number above 0")
    return most if len(digits) > len(str(most)) else min(int(digits), most)


def flag(request: Request, name: str, default: bool) -> bool:
    text = one(request, name)
    if text is None:
        return default
    if text not in ("0", "1"):
        raise Refusal("invalid_query", f"{name} must be 0 or 1")
    return text == "1"


def statuses(request: Request, known: Collection[str]) -> list[str]:
    """The statuses asked for: one, several by commas, or the parameter several times."""
    given = [word for text in request.query_params.getlist("status") for word in text.split(",")]
    if any(word not in known for word in given):
        raise Refusal(
            "invalid_query",
            "there is no such status",
            "the statuses are " + ", ".join(known),
        )
    return given


def moment(request: Request, name: str) -> datetime | None:
    """A time in ISO 8601; one without an offset is in the project's TIME_ZONE."""
    text = one(request, name)
    if text is None:
        return None
    try:
        given = parse_datetime(_LOST_PLUS.sub(r"\1+\2", text))
        if given is None:
            raise ValueError(text)
        if timezone.is_naive(given):
            given = timezone.make_aware(given, timezone.get_default_timezone())
        given = given.astimezone(UTC)
        if django_settings.USE_TZ:
            return given
        return timezone.make_naive(given, timezone.get_default_timezone())
    except (ValueError, OverflowError):
        raise Refusal(
            "invalid_query",
            f"{name} must be a time in ISO 8601",
            "write it as 2030-01-31T12:00:00Z",
        ) from None


def conditions(request: Request) -> dict[str, Any]:
    """The filters of a list of jobs, for its QuerySet."""
    wanted = {
        "status__in": statuses(request, JobStatus.values) or None,
        "created_at__gt": moment(request, "created_after"),
        "created_at__lt": moment(request, "created_before"),
    }
    return {name: value for name, value in wanted.items() if value is not None}
