"""The worker: claims jobs for its slots, and keeps everything around them in order.

Its main loop never runs a fetch. It renews the claims of its slots and its own row, fails jobs
whose workers died, purges expired ones, claims, and waits. It knows no argv and no Unix
signals; ``manage.py batch_worker`` has those.
"""

from __future__ import annotations

import logging
import math
import random
import time
from datetime import timedelta

from django.db import connections
from django.db.utils import Error

from batch import database
from batch.conf import Settings
from batch.drain import Drain
from batch.ids import process_name
from batch.isolation import Isolator
from batch.moves import lanes, remove, workers
from batch.moves.claim import claim_next, renew
from batch.moves.end import RESTART, cut_off, reap
from batch.outages import outage
from batch.parked import Parked
from batch.slots import Slot
from batch.waking import Bell, waiting
from batch.words import FetchFunc

logger = logging.getLogger("batch")

PURGE_EVERY_SECONDS = 60.0
PURGE_SECONDS = 0.5  # the main loop has claims to renew
PURGE_AGAIN_SECONDS = 5.0  # where that was too short for all that has expired
FORGET_AFTER_CLAIMS = 20
PARKED_PER_SLOT = 8  # jobs in hand that wait for lanes; more are left to other workers
MAX_BACKOFF_SECONDS = 30.0
CUT_SECONDS = 5.0


class Worker:
    """One process's worker. Make it, :meth:`run` it, and :meth:`stop` it from elsewhere."""

    def __init__(
        self,
        fetch: FetchFunc,
        settings: Settings,
        *,
        slots: int = 4,
        poll_seconds: float = 1.0,
        grace_seconds: float = 25.0,
        sole: bool = False,
        exit_when_idle: bool = False,
    ) -> None:
        """``sole``: no other worker lives, so every claimed job is a dead one's.

        Raises ``ImproperlyConfigured`` when ``fetch`` cannot be sent to a child.
        """
        self.name = process_name()
        self.jobs_cut_off = 0
        self._settings = settings
        self._using = database.alias()
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._sole = sole
        self._exit_when_idle = exit_when_idle
        self._hold = timedelta(seconds=settings.claim_seconds)
        self._isolator = Isolator(fetch, settings)
        self._slot_count = slots
        self._slots: list[Slot] = []
        self._parked = Parked()
        self._bell = Bell()
        self._stops = 0
        self._stop_at = 0.0
        self._renew_at = self._reap_at = 0.0
        self._stepped_at = math.inf
        self._purge_at = time.monotonic() + PURGE_EVERY_SECONDS
        self._idle = False
        self._pause = 0.0

    def stop(self) -> None:
        """Claim no more and let the jobs in hand end; called again, cut them off at once.

        Only sets a flag, so it may be called from a signal handler.
        """
        self._stops += 1
        self._bell.ring()

    @property
    def busy(self) -> list[Slot]:
        return [slot for slot in self._slots if slot.drain]

    def _in_hand(self) -> list[Drain]:
        """The drains in slots and those parked. Slots are looked at first: a drain is parked
        before its slot is free, and only the main loop takes it back."""
        drains = [slot.drain for slot in self._slots] + list(self._parked.drains())
        return list({id(drain): drain for drain in drains if drain}.values())

    def run(self, *, after_outage: bool = False) -> bool:
        """Work until stopped (or idle, where that was asked for). ``after_outage``: the database
        was away until now, so that others could not renew their claims.

        False when a thread is left behind that still fetches: the process has to be ended by
        ``os._exit``. Raises ``ChildFailedError`` when the fetch function does not load in a
        child, and the database's own errors when it is away at the start.
        """
        self._start(after_outage)
        waits = waiting(self._bell, self._using)
        try:
            while not self._ended():
                waits.wait(self._step_or_back_off())
        finally:
            waits.close()
        return self._finish()

    def _start(self, after_outage: bool) -> None:
        self._isolator.check()
        self._started_at = database.now(self._using)
        if after_outage and not self._sole:
            self._let_others_renew()
        else:
            self._reap(sole=self._sole)
        self._slots = [
            Slot(self._isolator.isolation(), self._parked.put, self._bell.ring)
            for _ in range(self._slot_count)
        ]
        logger.info(
            "worker_started",
            extra={
                "worker": self.name,
                "slots": self._slot_count,
                "isolation": self._settings.isolation,
            },
        )
        if self._settings.isolation == "thread":
            logger.warning(
                "limits_not_enforced",
                extra={"why": "threads cannot be killed: neither time nor memory is limited"},
            )

    def _ended(self) -> bool:
        if self._stops and not self._stop_at:
            self._stop_at = time.monotonic() + self._grace_seconds
            logger.info("worker_stopping", extra={"worker": self.name, "busy": len(self.busy)})
        if self._stops > 1 or (self._stops and time.monotonic() >= self._stop_at):
            return True
        return (bool(self._stops) or (self._exit_when_idle and self._idle)) and not self._in_hand()

    def _step_or_back_off(self) -> float:
        """One step; how many seconds to wait before the next."""
        try:
            wait = self.step()
        except Exception as error:  # whatever it is, the jobs in hand go on
            longest = min(MAX_BACKOFF_SECONDS, self._settings.claim_seconds / 4)
            self._pause = min(longest, max(1.0, self._pause * 2))
            pause = self._pause * random.uniform(0.75, 1)
            if database.mood(error):
                outage.away(seconds=round(pause, 1))
            else:
                logger.exception("step_failed", extra={"seconds": round(pause, 1)})
            connections[self._using].close()
            self._renew_at = 0.0
            return pause
        if self._pause:
            outage.back(worker=self.name)
            self._pause = 0.0
            self._let_others_renew()
        return wait

    def _let_others_renew(self) -> None:
        """They could not either, for a while: they get as long as anybody has."""
        self._reap_at = time.monotonic() + self._settings.claim_seconds

    def step(self) -> float:
        """Do what is due; how many seconds may pass until something is due again."""
        now = time.monotonic()
        if now > self._stepped_at + self._settings.claim_seconds / 2:
            # It was frozen, maybe with its whole machine, and others on it wake this moment.
            self._let_others_renew()
        self._stepped_at = now
        if now >= self._renew_at:
            self._renew()
            self._renew_at = now + self._settings.claim_seconds / 4
        if now >= self._reap_at and not self._pause:
            self._reap()
            self._reap_at = now + self._settings.claim_seconds / 4
        if now >= self._purge_at:
            self._purge_at = now + PURGE_EVERY_SECONDS
            if self._purge() > PURGE_SECONDS:
                self._purge_at = now + PURGE_AGAIN_SECONDS
        self._fill()
        due = min(self._renew_at, self._reap_at, self._purge_at, now + self._poll_seconds)
        if len(self.busy) < self._slot_count:
            due = min(due, self._parked.next_at())
        if self._stop_at:
            due = min(due, self._stop_at)
        return max(0.0, due - time.monotonic())

    def _renew(self) -> None:
        now = database.now(self._using)
        busy = len(self.busy)
        workers.beat(self.name, self._slot_count, busy, self._started_at, now, self._using)
        held = [drain.claim.job_id for drain in self._in_hand()]
        if held:
            renew(held, self.name, now, self._hold, self._using)

    def _reap(self, *, sole: bool = False) -> None:
        if count := reap(RESTART, self._using, sole=sole):
            logger.warning("jobs_reaped", extra={"jobs": count})

    def _purge(self) -> float:
        """How many seconds it removed jobs for."""
        began = time.monotonic()
        if count := remove.purge(self._using, seconds=PURGE_SECONDS):
            logger.info("jobs_purged", extra={"jobs": count})
        seconds = time.monotonic() - began
        dead = database.now(self._using) - FORGET_AFTER_CLAIMS * self._hold
        workers.forget(dead, self._using)
        lanes.sweep(self._using)
        return seconds

    def _fill(self) -> None:
        self._idle = False
        for slot in self._slots:
            if slot.drain:
                continue
            drain = self._parked.take() or self._claimed()
            if drain is None:
                break
            slot.take(drain)

    def _claimed(self) -> Drain | None:
        """A job that nobody has yet, unless so many wait for lanes that no more are wanted."""
        if self._stops or len(self._parked) >= PARKED_PER_SLOT * self._slot_count:
            return None
        polite = self._settings.lane_rules is not None
        claim = claim_next(self.name, self._hold, self._using, lanes=polite)
        if claim is None:
            self._idle = True
            return None
        return Drain(claim, self._settings, self._settings.ttl, self._using)

    def _finish(self) -> bool:
        for drain in self._in_hand():
            drain.cut()
            self.jobs_cut_off += self._gives_up(drain)
        ends = time.monotonic() + CUT_SECONDS
        for slot in self._slots:
            slot.finish()
        left = [slot for slot in self._slots if not slot.ended(ends - time.monotonic())]
        self._isolator.close()
        try:
            workers.leave(self.name, self._using)
        except Error:
            logger.warning("worker_row_left", extra={"worker": self.name}, exc_info=True)
        logger.info("worker_ended", extra={"worker": self.name, "cut_off": self.jobs_cut_off})
        return not left

    def _gives_up(self, drain: Drain) -> bool:
        try:
            return cut_off(drain.claim, RESTART, RESTART, self._settings.ttl, self._using)
        except Error:
            # Its claim runs out, and whoever reaps then fails it.
            logger.exception("job_not_failed", extra={"job": str(drain.claim.job_id)})
            return True
