"""The workers, as their main loops last said."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin

from batch import conf
from batch.admin.cells import badge
from batch.admin.moments import shown_at, span, text
from batch.admin.readonly import ReadOnlyAdmin
from batch.models import BatchWorker


class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("name", "alive", "slots", "busy", "started", "seen")
    ordering = ("-seen_at", "name")
    fieldsets = [(None, {"fields": ["name", "alive", "slots", "busy", "started", "seen"]})]

    @admin.display(description="state")
    def alive(self, worker: BatchWorker) -> str:
        silent = shown_at(worker) - worker.seen_at
        alive = silent < timedelta(seconds=conf.settings().claim_seconds)
        return badge("alive" if alive else "silent")

    @admin.display(description="started")
    def started(self, worker: BatchWorker) -> str:
        return text(worker.started_at)

    @admin.display(description="last seen")
    def seen(self, worker: BatchWorker) -> str:
        return f"{span(shown_at(worker) - worker.seen_at)} ago"
