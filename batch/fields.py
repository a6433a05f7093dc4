"""Columns that mean the same on every database."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


def _exact(parameters: Any, connection: BaseDatabaseWrapper) -> Any:
    """Tell apart what differs in case, accent or trailing space.

    PostgreSQL and SQLite do so by themselves. MariaDB compares by a collation: its default
    folds case and accents, and even ``utf8mb4_bin`` pads, so that ``"a"`` equals ``"a "``.
    """
    if connection.vendor == "mysql":
        mariadb = getattr(connection, "mysql_is_mariadb", False)
        parameters["collation"] = "utf8mb4_nopad_bin" if mariadb else "utf8mb4_0900_bin"
    return parameters


class ExactCharField(models.CharField):
    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return _exact(super().db_parameters(connection), connection)


class ExactTextField(models.TextField):
    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return _exact(super().db_parameters(connection), connection)


def text_hash(text: str) -> int:
    """A signed 64-bit number for an index over texts that are too long for one."""
    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


class UrlHashField(models.BigIntegerField):
    """:func:`text_hash` of the row's ``url``, kept by itself."""

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        value = text_hash(model_instance.url)  # type: ignore[attr-defined]
        setattr(model_instance, self.attname, value)
        return value
