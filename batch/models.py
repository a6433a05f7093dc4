"""The rows, what they may hold, and the questions that can be asked of them.

Rows are moved by :mod:`batch.moves` alone. Indexes are plain and composite (MariaDB drops
partial ones silently) and cover no column that a drain writes with each outcome: PostgreSQL
then updates the job's row in place (HOT), also in a job of 100,000 targets.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from batch.conf import settings
from batch.fields import ExactCharField, ExactTextField, UrlHashField
from batch.ids import new_id
from batch.words import Job, Result, TargetStatus


def default_lease() -> datetime:
    """Of a row that says nothing else: as long as a submit's."""
    return timezone.now() + settings().ttl


class JobStatus(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    PARTIAL = "partial"
    CANCELLED = "cancelled"


class TargetState(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


LIVE = (JobStatus.QUEUED, JobStatus.RUNNING)
TERMINAL = (JobStatus.DONE, JobStatus.FAILED, JobStatus.PARTIAL, JobStatus.CANCELLED)


class BatchJobQuerySet(models.QuerySet["BatchJob"]):
    def live(self) -> Self:
        """Jobs that have not ended, whatever their lease says."""
        return self.filter(status__in=LIVE)

    def of_caller(self, caller: str) -> Self:
        return self.filter(caller=caller)

    def leased(self, now: datetime) -> Self:
        return self.filter(lease_expires_at__gt=now)

    def visible(self, now: datetime) -> Self:
        """What a caller may still see: live jobs, and terminal ones within their lease."""
        return self.filter(Q(status__in=LIVE) | Q(lease_expires_at__gt=now))

    def claimable(self) -> Self:
        """Jobs that wait for their first and only worker, in the order they are taken."""
        return self.filter(status=JobStatus.RUNNING, claim=0).order_by("created_at", "id")

    def lapsed(self, now: datetime) -> Self:
        """Jobs in hand whose claim ran out: their worker is dead, or out of touch."""
        return self.filter(
            status__in=(JobStatus.RUNNING, JobStatus.CANCELLED), claim_expires_at__lt=now
        )

    def claimed(self) -> Self:
        """Jobs in somebody's hand, dead or alive; also such as lost their expiry by hand."""
        return self.filter(
            Q(status=JobStatus.RUNNING, claim__gt=0)
            | Q(status=JobStatus.CANCELLED, claim_expires_at__isnull=False)
        )

    def settled(self, now: datetime) -> Self:
        """Terminal jobs that nobody has in hand: these can be retried, deleted and purged."""
        return self.filter(status__in=TERMINAL).filter(
            Q(claim_expires_at=None) | Q(claim_expires_at__lte=now)
        )

    def expired(self, now: datetime) -> Self:
        """Settled jobs whose lease has lapsed, the longest ended first."""
        return (
            self.settled(now)
            .filter(finished_at__lt=now, lease_expires_at__lte=now)
            .order_by("finished_at")
        )


class BatchJob(models.Model):
    """One submission: many distinct targets, drained in order by one worker at a time."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    caller = ExactCharField(max_length=255)
    caller_class = ExactCharField(max_length=64, blank=True)
    idem_key = models.CharField(max_length=64)
    status = models.CharField(max_length=16, choices=JobStatus, default=JobStatus.QUEUED)
    error = ExactTextField(blank=True)
    targets_total = models.PositiveIntegerField(default=0)
    targets_done = models.PositiveIntegerField(default=0)
    targets_failed = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(default=default_lease)
    worker = models.CharField(max_length=255, blank=True)
    claim = models.PositiveIntegerField(default=0)
    claim_expires_at = models.DateTimeField(null=True, blank=True)

    objects = BatchJobQuerySet.as_manager()

    class Meta:
        verbose_name = "job"
        indexes = [
            models.Index(fields=["idem_key", "created_at"], name="batch_job_idem"),
            models.Index(fields=["status", "caller"], name="batch_job_status_caller"),
            models.Index(fields=["status", "claim", "created_at"], name="batch_job_status_claim"),
            models.Index(fields=["status", "claim_expires_at"], name="batch_job_status_expiry"),
            models.Index(fields=["caller", "created_at"], name="batch_job_caller_created"),
            models.Index(fields=["status", "created_at"], name="batch_job_status_created"),
            models.Index(fields=["caller_class", "created_at"], name="batch_job_class_created"),
            models.Index(fields=["created_at"], name="batch_job_created"),
            models.Index(fields=["finished_at"], name="batch_job_finished"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=JobStatus.values), name="batch_job_known_status"
            ),
            models.CheckConstraint(
                condition=Q(status__in=LIVE, finished_at__isnull=True)
                | Q(status__in=TERMINAL, finished_at__isnull=False),
                name="batch_job_finished_when_terminal",
            ),
            models.CheckConstraint(
                condition=Q(targets_done__lte=F("targets_total"))
                & Q(targets_failed__lte=F("targets_done")),
                name="batch_job_counters_within_total",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    def as_job(self) -> Job:
        """The row as the runner shows it."""
        return Job(
            id=str(self.id),
            status=self.status,
            error=self.error,
            targets_total=self.targets_total,
            targets_done=self.targets_done,
            targets_failed=self.targets_failed,
            caller=self.caller,
            caller_class=self.caller_class,
            created_at=self.created_at,
            started_at=self.started_at,
            finished_at=self.finished_at,
            lease_expires_at=self.lease_expires_at,
            worker=self.worker,
        )


class BatchTarget(models.Model):
    """One URL of a job, its options, and its outcome once that is stored."""

    # The pair (job, idx) has its own unique index, which serves the relation as well.
    job = models.ForeignKey(
        BatchJob, on_delete=models.CASCADE, related_name="targets", db_index=False
    )
    idx = models.PositiveIntegerField()
    url = ExactTextField()
    url_hash = UrlHashField(editable=False)
    lane = ExactCharField(max_length=255, blank=True)
    options = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=16, choices=TargetState, default=TargetState.PENDING)
    result = models.JSONField(null=True, blank=True)
    error = ExactTextField(blank=True)
    hint = ExactTextField(blank=True)
    code = models.CharField(max_length=64, blank=True)
    details = models.JSONField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "target"
        ordering = ["job_id", "idx"]
        # With the key, so that the last targets of a URL that all jobs have are found as fast.
        indexes = [models.Index(fields=["url_hash", "id"], name="batch_target_url")]
        constraints = [
            models.UniqueConstraint(fields=["job", "idx"], name="batch_target_job_idx"),
            models.CheckConstraint(
                condition=Q(status__in=TargetState.values), name="batch_target_known_status"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_id}[{self.idx}]"

    def as_status(self) -> TargetStatus:
        """The row as the runner shows it."""
        stored = self.result
        content = stored.get("content") if isinstance(stored, dict) else None
        meta = stored.get("meta") if isinstance(stored, dict) else None
        return TargetStatus(
            idx=self.idx,
            url=self.url,
            status=self.status,
            result=None if stored is None else Result(content or "", meta or {}),
            error=self.error,
            hint=self.hint,
            code=self.code,
            details=self.details,
        )


class BatchWorker(models.Model):
    """A worker process, as its main loop last said. Alive: ``seen_at`` is younger than
    CLAIM_SECONDS by the database's clock."""

    name = models.CharField(max_length=255, primary_key=True)  # host:pid:random
    slots = models.PositiveIntegerField(default=1)
    busy = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        verbose_name = "worker"

    def __str__(self) -> str:
        return self.name


class BatchGate(models.Model):
    """The one row (id 1) that every submit writes first, so that submits come one by one."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    submits = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name = "gate"

    def __str__(self) -> str:
        return f"{self.submits} submits"


class BatchLane(models.Model):
    """A lane that targets go through one by one (PER_LANE, LANE_PAUSE_SECONDS)."""

    name = ExactCharField(max_length=255, primary_key=True)
    opens_at = models.DateTimeField()  # no target begins before
    tickets = models.PositiveBigIntegerField(default=0)  # whoever comes gets the next number

    class Meta:
        verbose_name = "lane"

    def __str__(self) -> str:
        return self.name


class BatchTurn(models.Model):
    """A job's place in the line at a lane. Whoever asked last before ``asked_until`` still
    waits; without it, the job's target runs."""

    job = models.OneToOneField(
        BatchJob, on_delete=models.CASCADE, primary_key=True, related_name="turn"
    )
    lane = ExactCharField(max_length=255)
    ticket = models.PositiveBigIntegerField()
    asked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "turn"
        indexes = [models.Index(fields=["lane", "ticket"], name="batch_turn_lane")]

    def __str__(self) -> str:
        return f"{self.job_id} at {self.lane}"
