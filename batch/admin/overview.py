"""What goes on, in a fixed number of queries, each of which reads a part of an index.

Nothing here counts a table: live jobs are few by the caps, jobs that ended are taken from the
index on that moment and up to a limit, and targets are those of a few jobs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db.models import Count, F, Q, Sum, Value
from django.db.models.functions import Left

from batch import conf, database
from batch.admin.cells import counted
from batch.admin.charts import bars, columns
from batch.admin.moments import span
from batch.admin.sample import MOST_JOBS, MOST_TARGETS, Sample
from batch.models import LIVE, TERMINAL, BatchJob, BatchTarget, BatchWorker, TargetState

MOST_ENDED = 100_000  # jobs of a day that are counted
DAY = timedelta(hours=24)
MINUTES = 30
ROWS = 6  # of a chart; the rest is told as one number
URL_CHARS = 500
_ORIGIN = re.compile(r"https?://[^/?#\\\s]*", re.IGNORECASE)


class Outcome(NamedTuple):
    status: str
    code: str
    url: str
    taken: timedelta | None
    age: timedelta


def overview(using: str) -> dict[str, Any]:
    """The context of the template above the list."""
    now = database.now(using)
    sample = Sample.of_latest_jobs(using)
    outcomes = _outcomes(sample, now, using)
    return {
        **_jobs(now, using),
        **_workers(now, using),
        **_minutes(outcomes),
        **_failures(outcomes),
        **_hosts(outcomes),
        "sampled_jobs": counted(sample.jobs, "job"),
        "sampled_targets": counted(len(outcomes), "target"),
        "cut": sample.cut,
        "most_jobs": f"{MOST_JOBS:,}",
        "most_targets": f"{MOST_TARGETS:,}",
    }


def _jobs(now: datetime, using: str) -> dict[str, Any]:
    jobs = BatchJob.objects.using(using)
    live = dict(jobs.live().order_by().values_list("status").annotate(Count("pk")))
    latest = jobs.filter(finished_at__gt=now - DAY).order_by("-finished_at")[:MOST_ENDED]
    by_status = {str(status): Count("pk", filter=Q(status=status)) for status in TERMINAL}
    ended = latest.aggregate(**by_status)
    return {
        "live": _by_status(LIVE, live),
        "live_total": f"{sum(live.values()):,}",
        "ended": _by_status(TERMINAL, ended),
        "ended_total": f"{sum(ended.values()):,}",
        "ended_more": sum(ended.values()) == MOST_ENDED,
    }


def _by_status(statuses: Iterable[str], numbers: dict[str, int]) -> Any:
    numbered = [(str(status), numbers.get(str(status), 0)) for status in statuses]
    return bars([(status, number, f"{number:,}", status) for status, number in numbered])


def _workers(now: datetime, using: str) -> dict[str, Any]:
    settings = conf.settings()
    since = now - timedelta(seconds=settings.claim_seconds)
    alive = BatchWorker.objects.using(using).filter(seen_at__gt=since)
    sums = alive.aggregate(workers=Count("pk"), slots=Sum("slots"), busy=Sum("busy"))
    slots, busy = sums["slots"] or 0, sums["busy"] or 0
    told = f"{busy:,} of {slots:,}"
    return {
        "workers": f"{sums['workers']:,}",
        "workers_needed": settings.dispatch == "worker",
        "slots": bars([("slots in use", busy, told, "running")], whole=slots),
    }


def _outcomes(sample: Sample, now: datetime, using: str) -> list[Outcome]:
    # Of results, which may be long, nothing is read. The database takes the times from each
    # other, since to parse them takes Python longer than all else.
    taken = F("finished_at") - F("started_at")
    age = Value(now) - F("finished_at")
    columns_read = ("status", "code", Left("url", URL_CHARS), taken, age)
    ended = BatchTarget.objects.using(using).filter(
        status__in=(TargetState.DONE, TargetState.FAILED), finished_at__isnull=False
    )
    parts = [ended.filter(part).order_by().values_list(*columns_read) for part in sample.ranges()]
    if not parts:
        return []
    first, *others = parts
    # Django 6.1 gives the union the model's own order, by columns that it does not have.
    rows = first.union(*others, all=True).order_by() if others else first
    return [Outcome(*row) for row in rows]


def _minutes(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    ages = (int(each.age.total_seconds() // 60) for each in outcomes)
    by_age = Counter(max(0, age) for age in ages if age < MINUTES)
    numbers = [by_age[age] for age in reversed(range(MINUTES))]  # the last minute to the right
    last = sum(numbers[-5:]) / 5
    return {
        "columns": columns(numbers),
        "column_width": f"{80 / MINUTES:.2f}",
        "minutes": MINUTES,
        "rate": f"{last:,.0f}" if last >= 10 else f"{last:.1f}",
        "in_minutes": counted(sum(numbers), "target"),
        "most_in_minute": f"{max(numbers):,}",
    }


def _failures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    codes = Counter(each.code or "none" for each in outcomes if each.status == TargetState.FAILED)
    shown = codes.most_common(ROWS)
    return {
        "failures": bars([(code, n, f"{n:,}", "failed") for code, n in shown]),
        "failures_total": f"{codes.total():,}",
        "failures_more": f"{len(codes) - len(shown):,}" if len(codes) > len(shown) else "",
    }


def _hosts(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    taken: defaultdict[str, list[float]] = defaultdict(list)
    for each in outcomes:
        if each.taken is not None and (found := _ORIGIN.match(each.url)):
            taken[found[0]].append(max(0.0, each.taken.total_seconds()))
    by_host: defaultdict[str, list[float]] = defaultdict(list)
    for origin, times in taken.items():
        by_host[_host(origin)] += times
    by_host.pop("", None)
    means = {host: sum(times) / len(times) for host, times in by_host.items()}
    slowest = sorted(means, key=lambda host: (-means[host], host))[:ROWS]
    return {
        "hosts": bars([(h, means[h], _host_told(means[h], len(by_host[h])), "") for h in slowest]),
        "hosts_total": counted(len(means), "host"),
    }


def _host_told(mean_seconds: float, number: int) -> str:
    return f"{span(timedelta(seconds=mean_seconds))}, {counted(number, 'target')}"


def _host(origin: str) -> str:
    # Of what a stranger wrote: it need not be a URL, and its password is nobody's business.
    try:
        return (urlsplit(origin).hostname or "")[:80]
    except ValueError:
        return ""
