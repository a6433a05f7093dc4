"""The page that Prometheus reads. The host puts it where it likes, and before it what it likes."""

from __future__ import annotations

from django.db import connections, transaction
from django.db.utils import Error
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from batch.metrics import events
from batch.metrics.rows import Rows
from batch.metrics.shared import Shared, is_shared
from batch.outages import outage
from batch.text import one_line

# Not the process's own registry: of several web processes each would tell another story.
REGISTRY = CollectorRegistry(auto_describe=False)
REGISTRY.register(Rows())
if is_shared():
    events.count()
    REGISTRY.register(Shared())


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """What the rows say. It asks for no login: wrap it, or let only your monitoring reach it."""
    try:
        return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)
    except Error as error:
        outage.away(path=request.path, error=one_line(str(error)))
        told = "the database cannot be read at the moment\n"
        return HttpResponse(told, status=503, content_type="text/plain; charset=utf-8")


for alias in connections:
    metrics = transaction.non_atomic_requests(using=alias)(metrics)
