"""Where the doors are: the API and the admin; the bare address leads to the admin."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

admin.site.site_header = admin.site.site_title = "sift batch"
admin.site.site_url = None  # nothing but the admin is there to be viewed

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}batch/icon.svg")),
    path("admin/", admin.site.urls),
    path("api/", include("batch.api.urls")),
]
