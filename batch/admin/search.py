"""What a text in the search box means. Each meaning has an index; none looks inside columns."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from batch.fields import text_hash
from batch.ids import parse_id
from batch.models import BatchTarget

JOBS_HELP = (
    "A UUID finds the job with this id; text that begins with http, the jobs with exactly this"
    " URL; anything else, the jobs of exactly this caller."
)
TARGETS_HELP = "A UUID finds the targets of the job with this id; anything else, exactly this URL."


def jobs(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    if known := parse_id(text.strip()):
        return queryset.filter(id=known)
    if text.strip().lower().startswith("http"):
        return queryset.filter(id__in=of_url(BatchTarget.objects.all(), text).values("job_id"))
    return queryset.filter(caller=text) if text else queryset


def targets(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    if known := parse_id(text.strip()):
        # In the order of the unique index: the key's own order would walk the whole table.
        return queryset.filter(job_id=known).order_by("idx")
    return of_url(queryset, text) if text.strip() else queryset


def of_url(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    # The hash has the index; the URL itself rules out the rare other one of the same hash. What
    # was pasted may have brought a line break along.
    spellings = {text, text.strip()}
    hashes = [text_hash(url) for url in spellings]
    return queryset.filter(url_hash__in=hashes, url__in=spellings)
