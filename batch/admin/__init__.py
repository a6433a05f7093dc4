"""The admin: made for someone who has to find out what happened.

Rows are shown and never edited. What an action changes, it changes through the runner.
"""

from django.contrib import admin

from batch.admin.jobs import JobAdmin
from batch.admin.targets import TargetAdmin
from batch.admin.workers import WorkerAdmin
from batch.models import BatchJob, BatchTarget, BatchWorker

__all__ = ["JobAdmin", "TargetAdmin", "WorkerAdmin"]

admin.site.register(BatchJob, JobAdmin)
admin.site.register(BatchTarget, TargetAdmin)
admin.site.register(BatchWorker, WorkerAdmin)
