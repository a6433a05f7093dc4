"""The database that has the runner's rows: the connection to it, and times as it has them."""

from datetime import datetime

from django.conf import settings
from django.db import connections
from django.utils import timezone
from django.utils.connection import ConnectionProxy

from tests.databases import ALIAS

connection = ConnectionProxy(connections, ALIAS)


def stored(moment: datetime) -> datetime:
    """An aware moment as a row has it: a local one where USE_TZ is off."""
    return moment if settings.USE_TZ else timezone.make_naive(moment)
