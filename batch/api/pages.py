"""Pages of a list, by cursor: a place in the list's order instead of a page number.

Rows that come or go while somebody turns the pages neither show up twice nor push others out.
A cursor is signed, so a client can only hand back what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from batch.api import query
from batch.api.problems import Refusal

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Order:
    """A list's order: columns that together tell any two of its rows apart."""

    name: str
    columns: tuple[str, ...]
    descending: bool
    default: int
    most: int

    def signer(self) -> Signer:
        return Signer(salt=f"batch.api.pages.{self.name}", sep=".")


JOBS = Order("jobs", ("created_at", "id"), descending=True, default=50, most=200)
TARGETS = Order("targets", ("idx",), descending=False, default=100, most=1000)


class Pages:
    """The page of a list that a request asks for, and the links to its neighbours."""

    def __init__(self, request: Request, order: Order) -> None:
        self.limit = query.limit(request, order.default, order.most)
        self._request = request
        self._order = order
        self._back, self._values = self._place()

    def walk(self, rows: QuerySet[M]) -> QuerySet[M]:
        """The page's rows and one more, nearest to the cursor first: for a page further up
        that is against the order of the list."""
        descending = self._order.descending != self._back
        if self._values:
            rows = rows.filter(self._beyond("lt" if descending else "gt"))
        sign = "-" if descending else ""
        columns = [sign + column for column in self._order.columns]
        return rows.order_by(*columns)[: self.limit + 1]

    def answer(
        self, keys: Sequence[tuple[Any, ...]], more: bool, results: list[Any]
    ) -> dict[str, Any]:
        """The page: ``keys`` are the columns of its rows and ``results`` what is shown of
        them, both as :meth:`walk` gave them; ``more``: the walk could go on."""
        ends = (keys[0], keys[-1]) if keys else (self._values, self._values)
        near = self._link(ends[0], back=not self._back) if self._values else None
        far = self._link(ends[1], back=self._back) if more else None
        if self._back:
            return {"next": near, "previous": far, "results": results[::-1]}
        return {"next": far, "previous": near, "results": results}

    def _beyond(self, way: str) -> Q:
        """The rows beyond the cursor's: by the first column, where equal by the next."""
        columns = list(zip(self._order.columns, self._values, strict=True))
        beyond = Q()
        for column, value in reversed(columns):
            further = Q(**{f"{column}__{way}": value})
            beyond = further | (Q(**{column: value}) & beyond) if beyond else further
        # Said twice, since not every planner sees the range in the alternatives.
        first, value = columns[0]
        return Q(**{f"{first}__{way}e": value}) & beyond

    def _place(self) -> tuple[bool, tuple[Any, ...]]:
        cursor = query.one(self._request, "cursor")
        if not cursor:
            return False, ()
        try:
            back, *values = self._order.signer().unsign_object(cursor)
        except BadSignature:
            hint = "use the links next and previous as they are"
            raise Refusal("invalid_query", "there is no such cursor", hint) from None
        return back, tuple(
            _READ[column](value) for column, value in zip(self._order.columns, values, strict=True)
        )

    def _link(self, values: tuple[Any, ...], *, back: bool) -> str:
        stored = [_WRITTEN.get(type(value), int)(value) for value in values]
        cursor = self._order.signer().sign_object([back, *stored])
        return replace_query_param(self._request.build_absolute_uri(), "cursor", cursor)


_READ: dict[str, Callable[[Any], Any]] = {
    "created_at": datetime.fromisoformat,
    "id": UUID,
    "idx": int,
}
_WRITTEN: dict[type, Callable[[Any], Any]] = {datetime: datetime.isoformat, UUID: str}
