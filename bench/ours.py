"""The runner as a system under test: jobs that are submitted and drained in this process."""

from __future__ import annotations

import itertools
import statistics
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from django.core.management import call_command
from django.db import connection
from django.db.models import Count, Max, Min, Sum

from batch import conf
from batch.drain import Drain
from batch.isolation import InThread, Isolation, Isolator, Limits
from batch.models import BatchJob, BatchTarget
from batch.moves.claim import claim_job
from batch.runner import Runner
from batch.signals import job_submitted
from batch.types import FetchContext, Target
from bench.fetches import nothing

HOLD = timedelta(hours=1)
_numbers = itertools.count()
_filled: list[str] = []  # jobs


def targets(count: int) -> list[Target]:
    job = next(_numbers)
    return [Target(f"https://example.com/{job}/{idx}") for idx in range(count)]


def prepare() -> None:
    call_command("migrate", verbosity=0)


def submit(count: int) -> float:
    """Submit a job of ``count`` targets; the seconds it took."""
    given = targets(count)
    started = time.perf_counter()
    Runner().submit("bench", "", given)
    return time.perf_counter() - started


def fill(count: int, jobs: int = 1) -> float:
    """Submit ``count`` targets that do nothing in so many jobs; the seconds a target."""
    _filled.clear()
    given = [targets(count // jobs) for _ in range(jobs)]
    started = time.perf_counter()
    for portion in given:
        _filled.append(Runner().submit("bench", "", portion).id)
    return (time.perf_counter() - started) / count


def drain(count: int) -> float:
    """Claim and drain what was filled; seconds a target."""
    started = time.perf_counter()
    for job_id in _filled:
        _drain(job_id)
    seconds = time.perf_counter() - started
    assert ended(count) is not None
    return seconds / count


def ended(count: int) -> float | None:
    """Seconds a target, from the end of the first to that of the last, when all that was filled
    is done."""
    jobs = BatchJob.objects.filter(id__in=_filled)
    if jobs.filter(status="done").count() < len(_filled):
        return None
    found = BatchTarget.objects.filter(job_id__in=_filled, status="done").aggregate(
        number=Count("id"), first=Min("finished_at"), last=Max("finished_at")
    )
    assert found["number"] == count, found
    return float((found["last"] - found["first"]).total_seconds() / (count - 1))


def done() -> int:
    """How many targets of what was filled are done."""
    jobs = BatchJob.objects.filter(id__in=_filled)
    return int(jobs.aggregate(number=Sum("targets_done"))["number"])


def rest() -> None:
    connection.close()


def _drain(job_id: str) -> None:
    settings = conf.settings()
    isolation = InThread(nothing, Limits.of(settings))
    claim = claim_job(uuid.UUID(job_id), "bench", HOLD, "default")
    assert claim
    Drain(claim, settings, settings.ttl, "default").run_to_the_end(isolation)


@contextmanager
def _isolation(name: str) -> Iterator[Isolation]:
    isolator = Isolator(nothing, replace(conf.settings(), isolation=name))
    isolation = isolator.isolation()
    try:
        yield isolation
    finally:
        isolation.close()
        isolator.close()


def isolate(calls: int) -> float:
    """What a child process costs a target more than a thread: the median, in seconds."""
    medians = {}
    for name in ("thread", "process"):
        with _isolation(name) as isolation:
            isolation.run(FetchContext(), Target("https://example.com/"))  # starts the child
            times = []
            for _ in range(calls):
                started = time.perf_counter()
                outcome = isolation.run(FetchContext(), Target("https://example.com/"))
                times.append(time.perf_counter() - started)
                assert outcome.done
        medians[name] = statistics.median(times)
    return medians["process"] - medians["thread"]


def submit_pages(port: int, count: int) -> str:
    """Submit a job of ``count`` pages of the documents' web server; its id."""
    job = next(_numbers)
    given = [Target(f"http://127.0.0.1:{port}/{job}/{idx}") for idx in range(count)]
    return Runner().submit("bench", "", given).id


def took(jobs: list[str]) -> float:
    """Seconds from the start of the first to the end of the last of these jobs, all done."""
    ended = [job for job in map(Runner().job, jobs) if job]
    assert [job.status for job in ended] == ["done"] * len(jobs), ended
    starts = [job.started_at for job in ended if job.started_at]
    ends = [job.finished_at for job in ended if job.finished_at]
    return (max(ends) - min(starts)).total_seconds()


_committed: list[int] = []


def _note_commit(**_: object) -> None:
    _committed.append(time.monotonic_ns())


def submit_stamped() -> int:
    """Submit a job of one target; the moment of its commit."""
    job_submitted.connect(_note_commit)  # the first thing after the commit
    submit(1)
    return _committed[-1]


def progress() -> int:
    """How many targets the newest job has done."""
    return BatchJob.objects.order_by("-created_at").values_list("targets_done", flat=True)[0]


ASKED = (
    submit,
    fill,
    drain,
    ended,
    done,
    rest,
    isolate,
    submit_stamped,
    submit_pages,
    took,
    progress,
)
