"""Times as the pages tell them: measured by the database's clock, asked once a page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from django.conf import settings
from django.db.models import Model
from django.utils import timezone

from batch import database

_NOW = "_shown_at"


def stamp(rows: Iterable[Model], using: str) -> None:
    """Give the rows of one page one moment, from which their ages are told."""
    now = database.now(using)
    for row in rows:
        vars(row)[_NOW] = now


def shown_at(row: Model) -> datetime:
    moment: datetime = vars(row)[_NOW]
    return moment


def text(moment: datetime | None, zone: bool = True) -> str:
    """To the second, which Django's own formats leave out, in the zone of the page."""
    if moment is None:
        return ""
    aware = timezone.is_aware(moment)
    local = timezone.localtime(moment) if aware else moment
    return f"{local:%Y-%m-%d %H:%M:%S %Z}" if aware and zone else f"{local:%Y-%m-%d %H:%M:%S}"


def took(started: datetime | None, finished: datetime | None, now: datetime) -> str:
    """How long something took, or has taken until ``now``; empty before it began."""
    return "" if started is None else span((finished or now) - started)


def span(length: timedelta) -> str:
    """A length of time in its two largest units."""
    seconds = max(0.0, length.total_seconds())
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def today() -> date:
    now = timezone.now()
    return (timezone.localtime(now) if timezone.is_aware(now) else now).date()


def midnight(day: date) -> datetime:
    """Where ``day`` begins, in the time zone that the pages are shown in."""
    moment = datetime.combine(day, time.min)
    return timezone.make_aware(moment) if settings.USE_TZ else moment
