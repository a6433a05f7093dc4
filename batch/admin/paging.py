"""Pages of lists that may be long, without counting what nobody looks at."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

PAGES_AHEAD = 10
DEEPEST_ROW = 100_000  # a database walks past every row before a page; filters lead further


def page_asked(text: str | None) -> int:
    """The page number that a query string names; 1 for anything that is none."""
    try:
        return max(1, int(text or 1))
    except ValueError:
        return 1


class CappedPaginator(Paginator):
    """Counts to a few pages past the one that is asked for, and says when there is more."""

    def __init__(self, object_list: Any, per_page: int, *args: Any, page: int, **kwargs: Any):
        super().__init__(object_list, per_page, *args, **kwargs)
        self.limit = min((page + PAGES_AHEAD) * per_page, DEEPEST_ROW)

    @cached_property
    def count(self) -> int:
        # The LIMIT is inside the counting query, so it ends as soon as it has seen enough.
        rows: Any = self.object_list
        return int(rows.order_by()[: self.limit + 1].count())

    @property
    def more(self) -> bool:
        return self.count > self.limit


class IndexPaginator(Paginator):
    """The targets of one job. Its row says how many there are, and ``idx`` has no gaps, so the
    last page of 100,000 targets is found as fast as the first."""

    def __init__(self, targets: QuerySet[Any], per_page: int, total: int) -> None:
        super().__init__(targets, per_page)
        self._targets = targets
        self._total = total

    @cached_property
    def count(self) -> int:
        return self._total

    def rows(self, number: int) -> QuerySet[Any]:
        first = (number - 1) * self.per_page
        within = self._targets.filter(idx__gte=first, idx__lt=first + self.per_page)
        return within.order_by("idx")
