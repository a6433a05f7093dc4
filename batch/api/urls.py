"""The addresses of the API, below whatever prefix the host gives them."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from batch.api import views
from batch.api.base import ApiView

app_name = "batch"


def _at(address: str, view: type[ApiView], name: str) -> list[URLPattern]:
    # The slash at the end may be missing: a redirect would lose the body of a POST.
    function = view.as_view()
    return [path(address + "/", function, name=name), path(address, function)]


# Any text may stand where an id or a number belongs, so that a wrong one is answered here.
urlpatterns = [
    *_at("jobs", views.JobList, "job-list"),
    *_at("jobs/<str:job_id>", views.JobDetail, "job-detail"),
    *_at("jobs/<str:job_id>/cancel", views.JobCancel, "job-cancel"),
    *_at("jobs/<str:job_id>/retry", views.JobRetry, "job-retry"),
    *_at("jobs/<str:job_id>/targets", views.TargetList, "target-list"),
    *_at("jobs/<str:job_id>/targets/<str:idx>", views.TargetDetail, "target-detail"),
    re_path(r"^jobs/[\s\S]*\Z", views.Nowhere.as_view()),
]
