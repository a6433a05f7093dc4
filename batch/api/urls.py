"""The addresses of the API, below whatever prefix the host gives them."""

from __future__ import annotations

from importlib.util import find_spec

from django.apps import apps
from django.urls import URLPattern, path, re_path

from batch.api import exports, health, views
from batch.api.base import ApiView

app_name = "batch"


def _at(address: str, view: type[ApiView], name: str) -> list[URLPattern]:
    # The slash at the end may be missing: a redirect would lose the body of a POST.
    function = view.as_view()
    return [path(address + "/", function, name=name), path(address, function)]


def _document() -> list[URLPattern]:
    """The OpenAPI document and its page, as far as the host has installed what they need."""
    if not find_spec("drf_spectacular"):
        return []
    from batch.api.document import DocsView, SchemaView

    found = [path("schema/", SchemaView.as_view(), name="schema")]
    if all(map(apps.is_installed, ("drf_spectacular", "drf_spectacular_sidecar"))):
        found.append(path("docs/", DocsView.as_view(), name="docs"))
    return found


# Any text may stand where an id or a number belongs, so that a wrong one is answered here.
urlpatterns = [
    *_at("jobs", views.JobList, "job-list"),
    *_at("jobs/<str:job_id>", views.JobDetail, "job-detail"),
    *_at("jobs/<str:job_id>/cancel", views.JobCancel, "job-cancel"),
    *_at("jobs/<str:job_id>/retry", views.JobRetry, "job-retry"),
    *_at("jobs/<str:job_id>/targets", views.TargetList, "target-list"),
    *_at("jobs/<str:job_id>/targets/<str:idx>", views.TargetDetail, "target-detail"),
    *_at("health", health.HealthView, "health"),
    *_at("health/alive", health.AliveView, "alive"),
    *_document(),
    path("jobs/<str:job_id>/results.jsonl", exports.ResultsJsonl.as_view(), name="results-jsonl"),
    path("jobs/<str:job_id>/results.csv", exports.ResultsCsv.as_view(), name="results-csv"),
    path("jobs/<str:job_id>/results.zip", exports.ResultsZip.as_view(), name="results-zip"),
    re_path(r"^jobs/[\s\S]*\Z", views.Nowhere.as_view()),
]
