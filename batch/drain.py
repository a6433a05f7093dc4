"""The drain: one claimed job, target after target, each outcome stored before the next begins.

It reads nothing between targets: the write of an outcome tells whether the job goes on, was
cancelled, or is no longer in this hand. Targets are read ahead in portions, so a job of any
length needs little memory.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from django.conf import settings as django_settings
from django.db import connections, transaction
from django.db.utils import Error

from batch import database, tracing
from batch.conf import Settings
from batch.isolation import Isolation
from batch.models import BatchJob, BatchTarget
from batch.moves.claim import Claim
from batch.moves.end import cut_off
from batch.moves.record import Next, Record, record, stored_before
from batch.outages import outage
from batch.outcome import Outcome, failure
from batch.politeness import Politeness
from batch.words import FetchContext, Options, Target

logger = logging.getLogger("batch")
T = TypeVar("T")

READ_AHEAD = 200
MAX_BACKOFF_SECONDS = 30.0
DROPPED_TIMES = 5
KEEP_CHILD_SECONDS = 0.5  # while a target waits for its lane
_Next = tuple[int, Target | Outcome, str]  # place in the job, what to fetch, its lane
INTERNAL = "internal: the job could not be drained; see the worker's log"


class _CutOff(Exception):
    """Somebody called :meth:`Drain.cut`."""


class _Waits(Exception):
    """The next target has to wait for its lane, and is asked for again after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Drain:
    """Drains one claimed job in the thread that calls :meth:`run`.

    Where lanes let only so many through, ``run`` returns while the next target waits, and
    goes on when it is called again, in whatever thread and isolation.
    """

    def __init__(self, claim: Claim, settings: Settings, ttl: timedelta, using: str) -> None:
        self.claim = claim
        self._isolation: Isolation | None = None
        self._ttl = ttl
        self._using = using
        self._timeout = timedelta(seconds=settings.target_timeout_seconds)
        self._longest_pause = min(MAX_BACKOFF_SECONDS, settings.claim_seconds / 4)
        self._clock = database.Clock(claim.claimed_at)
        self._cut = threading.Event()
        self._log = {"job": str(claim.job_id)}
        self._joined = False  # to a transaction of who called run()
        rules = settings.lane_rules
        self._polite = Politeness(claim, rules, using) if rules else None
        self._targets = self._read_targets()
        self._next: _Next | None = None

    def cut(self) -> None:
        """Give up: end the target in hand if that can be done. Called from another thread."""
        self._cut.set()
        if self._isolation:
            self._isolation.kill()

    def run_to_the_end(self, isolation: Isolation) -> None:
        """:meth:`run`, and wait for lanes in this thread."""
        while (seconds := self.run(isolation)) is not None:
            if seconds > KEEP_CHILD_SECONDS:
                isolation.close()  # the next target gets a fresh child
            self._cut.wait(seconds)

    @tracing.draining
    def run(self, isolation: Isolation) -> float | None:
        """Drain until the job ends, is cancelled, is lost or is cut off: None; or until its
        next target has to wait for its lane: after how many seconds to call this again.

        Never raises for what a fetch function does; a fault of the runner itself fails this
        job alone.
        """
        self._isolation = isolation
        if self._next is None:
            logger.info("job_started", extra={**self._log, "targets": self.claim.targets_total})
        self._joined = connections[self._using].in_atomic_block
        try:
            ended = self._run(isolation)
        except _Waits as waits:
            self._isolation = None
            return waits.seconds
        except _CutOff:
            logger.warning("job_cut_off", extra=self._log)
            return None
        except Exception:
            logger.exception("job_broken", extra=self._log)
            ended = False
        if ended:
            logger.info("job_ended", extra=self._log)
        else:
            self.fail()
        return None

    def _run(self, isolation: Isolation) -> bool:
        """False when the job cannot end by itself: rows of it were removed by hand."""
        while following := self._next or next(self._targets, None):
            self._next = following
            idx, target, lane = following
            if self._polite and not self._enters(self._polite, idx, lane):
                return True
            outcome = self._fetch(idx, target, isolation)
            self._next = None
            match self._store(idx, outcome, lane):
                case Next.LOST if self._in_hand():
                    return False  # nothing was written to a job of ours
                case Next.LOST:
                    self._lost(idx)
                    return True
                case Next.ENDED:
                    # No target follows: this was the last, or the job was cancelled and with
                    # this outcome let go of.
                    return idx + 1 >= self.claim.targets_total or not self._in_hand()
        return False

    def _enters(self, polite: Politeness, idx: int, lane: str) -> bool:
        """False when the job is no longer in this hand. Raises ``_Waits``."""
        answer = self._patiently(partial(polite.enter, idx, lane))
        if answer.lost:
            self._lost(idx)
        if not answer.in_hand:
            return False
        if not answer.runs:
            raise _Waits(answer.seconds)
        return True

    def _read_targets(self) -> Iterator[_Next]:
        idx = 0
        while portion := self._patiently(partial(self._portion, idx)):
            for idx, url, options, lane in portion:
                yield idx, _target(url, options), lane
            idx += 1

    def _portion(self, from_idx: int) -> list[tuple[int, str, object, str]]:
        rows = BatchTarget.objects.using(self._using)
        rows = rows.filter(job_id=self.claim.job_id, idx__gte=from_idx).order_by("idx")
        return list(rows.values_list("idx", "url", "options", "lane")[:READ_AHEAD])

    def _fetch(self, idx: int, target: Target | Outcome, isolation: Isolation) -> Outcome:
        if isinstance(target, Outcome):
            return target
        if self._cut.is_set():
            raise _CutOff
        context = FetchContext(
            job_id=self._log["job"],
            idx=idx,
            caller=self.claim.caller,
            caller_class=self.claim.caller_class,
            deadline=datetime.now(UTC) + self._timeout,
        )
        outcome = self._fetched(context, target, isolation)
        if not self._joined:
            database.tidy_up(self._using)
        if outcome.trace:
            extra = {**self._log, "idx": idx, "trace": outcome.trace}
            logger.error("target_raised", extra=extra)
        return outcome

    @tracing.fetching
    def _fetched(self, context: FetchContext, target: Target, isolation: Isolation) -> Outcome:
        if not self._joined:
            return isolation.run(context, target)
        # A test's transaction, say: what the fetch function breaks in it is undone alone.
        outcome: Outcome | None = None
        try:
            with transaction.atomic(using=self._using):
                outcome = isolation.run(context, target)
        except Error:
            if outcome is None:
                raise
        return outcome

    def _store(self, idx: int, outcome: Outcome, lane: str) -> Next:
        try:
            return self._patiently(partial(self._record, idx, outcome, lane))
        except (Error, ValueError):
            # This outcome holds something that the database will not have, ever.
            if connections[self._using].in_atomic_block:
                raise  # only the caller can undo its transaction
            logger.exception("outcome_refused", extra={**self._log, "idx": idx})
            return self._patiently(partial(self._record, idx, _refused(), lane))

    def _record(self, idx: int, outcome: Outcome, lane: str) -> Next:
        entry = Record(
            job_id=self.claim.job_id,
            claim=self.claim.number,
            idx=idx,
            outcome=outcome,
            now=self._clock.now(),
            ttl=self._ttl,
            lane=self._polite.left(lane, outcome) if self._polite else None,
        )
        following = record(entry, self._using)
        if following is Next.LOST:
            following = stored_before(entry, self._using)
        if django_settings.DEBUG and not connections[self._using].force_debug_cursor:
            connections[self._using].queries_log.clear()  # it would keep thousands of results
        return following

    def _patiently(self, work: Callable[[], T]) -> T:
        """Do ``work``, however long the database is away: a fetch is never repeated for it."""
        pause = 0.1
        waited = False
        dropped = 0
        while not self._cut.is_set():
            try:
                done = database.repeat(work, self._using)
            except Error as error:
                connection = connections[self._using]
                if connection.in_atomic_block or not database.mood(error):
                    raise
                outage.away(**self._log, seconds=round(pause, 1))
                waited = True
                connection.close()
                dropped += database.cut_short(error) and self._answers()
                if dropped >= DROPPED_TIMES:
                    raise  # MariaDB drops the connection on what is over max_allowed_packet
                self._cut.wait(pause)
                pause = min(pause * 2, self._longest_pause)
            else:
                if waited:
                    outage.back(**self._log)
                return done
        raise _CutOff

    def _answers(self) -> bool:
        """Whether the database is there for something smaller."""
        try:
            database.now(self._using)
        except Error:
            return False
        return True

    def _lost(self, idx: int) -> None:
        logger.warning("claim_lost", extra={**self._log, "idx": idx})

    def _in_hand(self) -> bool:
        job = BatchJob.objects.using(self._using).claimed()
        mine = job.filter(id=self.claim.job_id, claim=self.claim.number)
        return database.repeat(mine.exists, self._using)

    def fail(self) -> None:
        """Fail the job, if it is still in hand: the runner itself is at fault."""
        try:
            cut_off(self.claim, INTERNAL, "internal", self._ttl, self._using)
        except Error:
            # The claim runs out by itself, and the job is reaped then.
            logger.exception("job_not_failed", extra=self._log)


def _target(url: str, options: object) -> Target | Outcome:
    """The target of a row, or the outcome of a row that somebody spoiled by hand."""
    try:
        return Target(url, Options(**options))  # type: ignore[arg-type]
    except TypeError:
        return failure("internal", "the stored options cannot be read", "submit the target again")


def _refused() -> Outcome:
    return failure(
        "bad_result",
        "the database refused to store the result",
        "ask for less of it; the worker's log has the database's words",
    )
