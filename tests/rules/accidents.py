"""What seldom happens to a move: its answer is lost, or its process dies in the middle."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import OperationalError, connections, transaction

from batch import database

LOST = "database is locked"  # of the kinds that are repeated


@contextmanager
def answer_lost() -> Iterator[None]:
    """The first transaction is committed, and the connection lost before anybody is told."""
    lost: list[bool] = []

    def in_transaction(work: Callable[[], Any], using: str) -> Any:
        def whole() -> Any:
            with transaction.atomic(using=using):
                answer = work()
                if not lost:
                    connections[using].run_on_commit.clear()  # as Django does, too
            if not lost:
                lost.append(True)
                raise OperationalError(LOST)
            return answer

        return database.repeat(whole, using)

    with patch.object(database, "in_transaction", in_transaction):
        yield


class Died(BaseException):
    """Of a process that was killed."""


@contextmanager
def death_after_one_transaction() -> Iterator[None]:
    """The process dies where the second one would begin."""
    begin = database.in_transaction
    begun: list[bool] = []

    def in_transaction(work: Callable[[], Any], using: str) -> Any:
        if begun:
            raise Died
        begun.append(True)
        return begin(work, using)

    with patch.object(database, "in_transaction", in_transaction):
        yield
