"""The public face: one method is checks and one move.

A runner is no process and holds no connection. Make one where you need it; what drains is a
worker, or :meth:`Runner.drain` in the thread that calls it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from batch import conf, database, dispatch, tracing
from batch.canonical import idem_key
from batch.drain import Drain
from batch.errors import CapError, InvalidTargetsError, TooManyTargetsError, UnknownJobError
from batch.ids import parse_id, process_name
from batch.isolation import InThread, Isolation, Isolator, Limits
from batch.keeping import kept_in_hand
from batch.loading import load, load_fetch
from batch.models import BatchJob, BatchTarget
from batch.moves import create, end, remove
from batch.moves.claim import claim_job
from batch.parsing import MAX_PROBLEMS, parse_targets
from batch.signals import job_refused, send
from batch.text import UNSTORABLE, clean
from batch.words import (
    Config,
    FetchFunc,
    Job,
    Problem,
    Submission,
    Target,
    TargetStatus,
)

logger = logging.getLogger("batch")

MAX_CALLER_CHARS = 255
MAX_CALLER_CLASS_CHARS = 64


class Runner:
    """Submits, drains, cancels and shows jobs.

    ``fetch`` is what fetches a target when this runner drains: a callable, which runs in the
    thread that drains, or a dotted path, which obeys the setting ISOLATION; without it, the
    setting FETCH. ``config`` overrides the settings' caps and TTL.
    """

    def __init__(self, fetch: FetchFunc | str | None = None, config: Config | None = None) -> None:
        self._fetch = fetch
        self._config = config or Config()

    @tracing.submitting
    def submit(self, caller: str, caller_class: str, targets: Sequence[Target]) -> Submission:
        """Store the targets as a running job, or find the job that they made before.

        A job of the same caller and targets whose lease has not expired is returned with
        ``reused=True``, whatever its status. Inside a caller's transaction the submit is part
        of it, and all other submits wait until it ends.

        Raises ``ValueError`` for a caller that cannot be, ``InvalidTargetsError``,
        ``TooManyTargetsError``, ``CallerBusyError`` and ``JobsBusyError``, in this order;
        nothing is stored then.
        """
        _check_caller(caller, caller_class)
        settings = conf.settings()
        using = database.alias()
        parsed = self._parse(targets, settings)
        kept = database.repeat(
            partial(create.leased_job, caller, idem_key(caller, parsed), using), using
        )
        if kept:
            return kept
        order = self._order(caller, caller_class, parsed, settings)
        with _refusals_told():
            create.check_size(order)
            if problems := _validated(parsed, settings):
                raise InvalidTargetsError(problems)
            return create.submit(order, self._announce, using)

    def check(self, caller_class: str, targets: Sequence[Target]) -> list[Problem]:
        """What :meth:`submit` would refuse about these targets, for a form to show."""
        settings = conf.settings()
        try:
            parsed = self._parse(targets, settings)
            create.check_size(self._order("check", caller_class, parsed, settings))
        except InvalidTargetsError as error:
            return error.problems
        except TooManyTargetsError as error:
            hint = "split the list into several jobs"
            return [Problem(None, "targets", "too_many_targets", str(error), hint)]
        return _validated(parsed, settings)

    def cancel(self, job_id: str) -> bool:
        """End a live job: its target in flight is still stored, later ones stay pending.

        False for an unknown id (any string) and for a job that has ended.
        """
        known = parse_id(job_id)
        return known is not None and end.cancel(known, self._ttl(), database.alias())

    def job(self, job_id: str) -> Job | None:
        """The job without its targets, or None for an unknown id (any string)."""
        known = parse_id(job_id)
        if known is None:
            return None
        using = database.alias()
        found = BatchJob.objects.using(using).filter(id=known)
        row: BatchJob | None = database.repeat(found.first, using)
        return None if row is None else row.as_job()

    def latest(self, count: int) -> list[Job]:
        """The jobs submitted last, of all callers, newest first."""
        using = database.alias()
        rows = BatchJob.objects.using(using).order_by("-created_at", "-id")[:count]
        return [row.as_job() for row in database.repeat(lambda: list(rows), using)]

    def status(self, job_id: str) -> tuple[Job, list[TargetStatus]] | None:
        """The job and its targets in order, or None for an unknown id (any string)."""
        job = self.job(job_id)
        if job is None:
            return None
        targets = BatchTarget.objects.using(database.alias()).filter(job__id=job.id)
        rows = database.repeat(lambda: list(targets.order_by("idx")), database.alias())
        return job, [target.as_status() for target in rows]

    def drain(self, job_id: str) -> bool:
        """Claim this one job and drain it in this thread; True when it was drained.

        False, and a line in the log, when it is unknown, has ended or is in other hands.
        Raises ``ImproperlyConfigured`` when there is no fetch function; the job waits on.
        """
        using = database.alias()
        known = parse_id(job_id)
        if known is None or not self._waits(known, using):
            return _not_drained(job_id)
        settings = conf.settings()
        isolator = None
        if callable(self._fetch):
            isolation: Isolation = InThread(self._fetch, Limits.of(settings))
        else:
            isolator = Isolator(load_fetch(self._fetch or settings.fetch), settings)
            isolation = isolator.isolation()
        worker, hold = process_name(), timedelta(seconds=settings.claim_seconds)
        claim = claim_job(known, worker, hold, using, lanes=settings.lane_rules is not None)
        if claim is None:
            return _not_drained(job_id)
        try:
            with kept_in_hand(claim, worker, hold, using):
                Drain(claim, settings, self._ttl(), using).run_to_the_end(isolation)
        finally:
            isolation.close()
            if isolator:
                isolator.close()
        return True

    @tracing.submitting
    def retry(self, job_id: str) -> Submission:
        """A new job with the failed and pending targets of one that has ended, in their order.

        It keeps caller and class and passes the idempotency check by; the caps hold.
        Raises ``UnknownJobError``, ``JobLiveError``, ``NothingToRetryError``, and what
        :meth:`submit` raises about caps.
        """
        known = parse_id(job_id)
        if known is None:
            raise UnknownJobError(str(job_id))
        settings = conf.settings()
        using = database.alias()

        def order_of(job: BatchJob, targets: list[Target]) -> create.Order:
            return self._order(job.caller, job.caller_class, targets, settings)

        with _refusals_told():
            return create.retry(known, order_of, self._ttl(), self._announce, using)

    def delete(self, job_id: str) -> None:
        """Remove a job that has ended, and its results. Raises ``UnknownJobError``,
        ``JobLiveError``."""
        known = parse_id(job_id)
        if known is None:
            raise UnknownJobError(str(job_id))
        remove.delete(known, database.alias())

    def mark_in_flight_failed(
        self, reason: str, now: datetime | None = None, sole: bool = False
    ) -> int:
        """Fail the jobs that a dead worker left in flight; how many.

        These are jobs whose claim ended before ``now`` (default: the database's clock) and
        queued rows older than CLAIM_SECONDS; with ``sole``, every claimed job at once.
        """
        return end.reap(reason, database.alias(), now=now, sole=sole, ttl=self._ttl())

    def purge(self, dry_run: bool = False) -> int:
        """Remove the jobs whose lease has lapsed; how many went, or would go."""
        using = database.alias()
        return remove.expired_jobs(using) if dry_run else remove.purge(using)

    @staticmethod
    def _waits(job_id: UUID, using: str) -> bool:
        return database.repeat(
            BatchJob.objects.using(using).claimable().filter(id=job_id).exists, using
        )

    def _announce(self, job_id: str) -> None:
        dispatch.announce(job_id, self.drain, database.alias())

    def _ttl(self) -> timedelta:
        return conf.as_timedelta(self._config.ttl) if self._config.ttl else conf.settings().ttl

    def _order(
        self, caller: str, caller_class: str, targets: list[Target], settings: conf.Settings
    ) -> create.Order:
        return create.Order(
            caller=caller,
            caller_class=caller_class,
            targets=targets,
            caps=settings.caps(caller_class, self._config),
            ttl=self._ttl(),
            lane=_lane_of(settings),
        )

    @staticmethod
    def _parse(targets: Sequence[Any], settings: conf.Settings) -> list[Target]:
        parsed = parse_targets(targets)
        if not settings.extra_options:
            problems = [
                Problem(
                    index,
                    "extra",
                    "unknown_option",
                    "the option extra is not accepted here",
                    'leave it out; the host accepts it with BATCH["EXTRA_OPTIONS"] = True',
                )
                for index, target in enumerate(parsed)
                if target.options.extra
            ]
            if problems:
                raise InvalidTargetsError(problems[:MAX_PROBLEMS])
        return parsed


@contextmanager
def _refusals_told() -> Iterator[None]:
    """After the transaction that was refused."""
    try:
        yield
    except CapError as error:
        send(job_refused, cap=error.cap)
        raise


def _not_drained(job_id: object) -> bool:
    logger.warning("not_drained", extra={"job": str(job_id)[:64]})
    return False


def _check_caller(caller: str, caller_class: str) -> None:
    for what, value, least, most in (
        ("caller", caller, 1, MAX_CALLER_CHARS),
        ("caller class", caller_class, 0, MAX_CALLER_CLASS_CHARS),
    ):
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise ValueError(f"the {what} has to be a string of {least} to {most} characters")
        if UNSTORABLE.search(value):
            raise ValueError(f"the {what} holds a NUL character or half of a surrogate pair")


def _validated(targets: list[Target], settings: conf.Settings) -> list[Problem]:
    if settings.validate is None:
        return []
    # The function is the host's: neither its list nor its texts are ours.
    found = load("VALIDATE", settings.validate)(list(targets))
    problems = [p if isinstance(p, Problem) else Problem(*p) for p in found][:MAX_PROBLEMS]
    return [
        replace(p, field=clean(p.field), message=clean(p.message), hint=clean(p.hint))
        for p in problems
    ]


def _lane_of(settings: conf.Settings) -> Callable[[Target], str]:
    if settings.lane is None:
        return lambda target: ""
    lane = load("LANE", settings.lane)
    return lambda target: clean(lane(target))[:255]
