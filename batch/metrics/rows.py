"""What the rows say, as gauges.

A scrape counts no table: jobs that wait are counted up to a limit, and so are those that ended
within a day, from the index on that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Q
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from batch import database, health
from batch.models import TERMINAL, BatchJob, JobStatus

DAY = timedelta(hours=24)
MOST_ENDED = 100_000


class Rows(Collector):
    """Asks the database anew for each scrape. Raises the database's own errors."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        using = database.alias()
        queue = health.look(using)
        jobs = BatchJob.objects.using(using)
        running = database.repeat(jobs.filter(status=JobStatus.RUNNING, claim__gt=0).count, using)
        yield _gauge("batch_jobs_waiting", "Jobs that wait for a worker, up to 1000", queue.waiting)
        yield _gauge(
            "batch_jobs_waiting_seconds",
            "How long the first job that waits has done so",
            queue.waiting_seconds,
        )
        yield _gauge("batch_jobs_running", "Jobs in hand", running)
        yield _gauge("batch_jobs_at_lanes", "Of these, waiting for a lane", queue.at_lanes)
        yield self._ended(using)
        workers = queue.workers
        yield _gauge("batch_workers", "Workers seen within CLAIM_SECONDS", len(workers))
        yield _gauge("batch_slots", "Slots of those workers", sum(each.slots for each in workers))
        yield _gauge("batch_slots_busy", "Slots in use", sum(each.busy for each in workers))

    def _ended(self, using: str) -> GaugeMetricFamily:
        def count() -> dict[str, int]:
            since = database.now(using) - DAY
            ended = BatchJob.objects.using(using).filter(finished_at__gt=since)
            latest = ended.order_by("-finished_at")[:MOST_ENDED]
            by_status = {str(each): Count("pk", filter=Q(status=each)) for each in TERMINAL}
            return latest.aggregate(**by_status)

        told = f"Jobs that ended within 24 hours and are kept, up to {MOST_ENDED}"
        family = GaugeMetricFamily("batch_jobs_ended_day", told, labels=["status"])
        for status, number in database.repeat(count, using).items():
            family.add_metric([status], number)
        return family


def _gauge(name: str, told: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, told, value=value)
