"""Which targets stand for what went on lately: the last outcomes of the jobs started last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from batch.models import BatchJob

MOST_JOBS = 200
MOST_TARGETS = 10_000
# No index tells when a job was started. They start nearly in the order in which they were made,
# so the jobs started last are among twice as many that were made last.
LOOKED_AT = 2 * MOST_JOBS


class Started(NamedTuple):
    id: UUID
    ended: int


@dataclass(frozen=True)
class Sample:
    """Of each job at most ``most_each`` outcomes, its last; so a job of 100,000 targets does not
    push aside all others."""

    jobs_started: Sequence[Started]
    most_each: int

    @classmethod
    def of_latest_jobs(cls, using: str) -> Sample:
        latest = BatchJob.objects.using(using).order_by("-created_at", "-id")
        rows = latest.values_list("started_at", "id", "targets_done")[:LOOKED_AT]
        started = [(at, Started(id, ended)) for at, id, ended in rows if at]
        started.sort(key=itemgetter(0), reverse=True)
        jobs = [job for _, job in started[:MOST_JOBS]]
        return cls(jobs, _fair_share([job.ended for job in jobs], MOST_TARGETS))

    @property
    def jobs(self) -> int:
        return len(self.jobs_started)

    @property
    def cut(self) -> bool:
        return any(job.ended > self.most_each for job in self.jobs_started)

    def ranges(self) -> list[Q]:
        """A range of the unique index (job, idx) for each number of outcomes that jobs have: a
        job's targets end in their order.

        They are kept apart for a UNION. Of all in one condition, a database thinks that they
        are so many rows that it had better read the table, where one other job is very large.
        """
        alike: defaultdict[int, list[UUID]] = defaultdict(list)
        for job in self.jobs_started:
            if job.ended:
                alike[job.ended].append(job.id)
        return [
            Q(job_id__in=ids, idx__gte=max(0, ended - self.most_each), idx__lt=ended)
            for ended, ids in alike.items()
        ]


def _fair_share(numbers: Sequence[int], most: int) -> int:
    """The largest share that each may take so that all together take at most ``most``."""
    left, count = most, len(numbers)
    for number in sorted(numbers):
        if number * count > left:
            return left // count
        left, count = left - number, count - 1
    return most
