"""The targets of a job as rows to show: a page's worth, and never more content than fits.

A result may have megabytes. So the sizes are asked of the database first and only the rows of
the page are loaded, and without content it stays in the database altogether.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from batch.api.pages import Pages
from batch.api.serializers import TARGET_FIELDS
from batch.models import BatchTarget
from batch.results import StoredBytes

PAGE_MAX_BYTES = 8 * 1024**2
Row = dict[str, Any]


def page(rows: QuerySet[BatchTarget], pages: Pages, *, content: bool) -> tuple[list[Row], bool]:
    """The page's rows, nearest to its cursor first, and whether others follow them."""
    found = list(pages.walk(rows).values_list("idx", flat=True))
    places = found[: pages.limit]
    fit = _fitting(rows, places) if content else places
    loaded = {row["idx"]: row for row in load(rows.filter(idx__in=fit), content=content)}
    # What a purge took between the questions is left out.
    return [loaded[idx] for idx in fit if idx in loaded], len(fit) < len(found)


def _fitting(rows: QuerySet[BatchTarget], places: list[int]) -> list[int]:
    """The first of them, as far as their results go into a page, and one in any case.

    A question of its own: of a job that is larger than its statistics say, PostgreSQL would take
    the sizes of all targets before it sorts them for a LIMIT.
    """
    size = Coalesce(StoredBytes("result"), 0)
    sized = rows.filter(idx__in=places).order_by().annotate(size=size)
    sizes = dict(sized.values_list("idx", "size"))
    total = 0
    for number, idx in enumerate(places):
        total += sizes.get(idx, 0)
        if number and total > PAGE_MAX_BYTES:
            return places[:number]
    return places


def load(rows: QuerySet[BatchTarget], *, content: bool) -> list[Row]:
    """The rows, in no order: no database should have to sort what carries results."""
    if content:
        return list(rows.order_by().values(*TARGET_FIELDS))
    names = [name for name in TARGET_FIELDS if name != "result"]
    return [
        {**row, "result": _without_content(row["result__meta"])}
        for row in rows.order_by().values(*names, "result__meta")
    ]


def _without_content(meta: Any) -> dict[str, Any] | None:
    return None if meta is None else {"content": None, "meta": meta}
