"""What a text in the search box means. Each meaning has an index; none looks inside columns."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from batch.fields import text_hash
from batch.ids import parse_id, user_caller
from batch.models import BatchJob, BatchTarget

MOST_OF_URL = 1000  # targets; a page that every job fetches has hundreds of thousands
JOBS_HELP = (
    "A UUID finds the job with this id; text that begins with http, the jobs with exactly this"
    f" URL, as far as the last {MOST_OF_URL:,} targets with it reach; anything else, the jobs of"
    " exactly this caller or, where there are none, of the user with this login."
)
TARGETS_HELP = (
    "A UUID finds the targets of the job with this id; anything else, exactly this URL, of which"
    f" the last {MOST_OF_URL:,} are shown."
)


def jobs(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    if known := parse_id(text.strip()):
        return queryset.filter(id=known)
    if text.strip().lower().startswith("http"):
        found = last_of_url(BatchTarget.objects.using(queryset.db), text)
        return queryset.filter(id__in={target.job_id for target in found})
    return queryset.filter(caller=_caller(text, queryset.db)) if text else queryset


def _caller(text: str, using: str) -> str:
    """A caller, or who has this login: staff know that, and not the number by which the API and
    the form name the user unless the host says otherwise. One of the two, for a list of both
    would be sorted, or read whole."""
    if not BatchJob.objects.using(using).filter(caller=text).exists():
        users = get_user_model()._default_manager.filter(**{get_user_model().USERNAME_FIELD: text})
        for pk in users.values_list("pk", flat=True)[:1]:
            return user_caller(pk)
    return text


def targets(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    if known := parse_id(text.strip()):
        # In the order of the unique index: the key's own order would walk the whole table.
        return queryset.filter(job_id=known).order_by("idx")
    if not text.strip():
        return queryset
    return queryset.filter(id__in=[target.id for target in last_of_url(queryset, text)])


def last_of_url(targets: QuerySet[BatchTarget], text: str) -> list[BatchTarget]:
    """Those of these targets that have this URL, the last ones: as many as an index gives in
    their order. Hence the condition on the URL itself is not left to the database, which would
    expect so few of them that it reads and sorts all of the same hash."""
    spellings = {text, text.strip()}  # what was pasted may have brought a line break along
    hashes = [text_hash(url) for url in spellings]
    of_hash = targets.filter(url_hash__in=hashes).order_by("-id").only("id", "job_id", "url")
    return [target for target in of_hash[:MOST_OF_URL] if target.url in spellings]
