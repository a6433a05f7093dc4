"""What form an answer has, and that none of them runs what a page said."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import clear_url_caches, include, path, set_urlconf
from rest_framework.renderers import JSONRenderer
from rest_framework.settings import api_settings
from rest_framework.test import APIClient

from batch.api.base import ApiView
from batch.models import BatchTarget
from tests.api.conftest import JOBS, URL
from tests.api.rows import job_of, targets_of

pytestmark = pytest.mark.django_db

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

urlpatterns = [path("outer/", include(([path("in/", include("batch.api.urls"))], "outer")))]


@pytest.fixture
def places(ann: User) -> list[str]:
    """The addresses of a job whose every text comes from a hostile page."""
    job = job_of(ann, "failed", error=EVIL)
    targets_of(job, "failed", "done")
    BatchTarget.objects.update(
        url=f"javascript:alert(1)//{EVIL}",
        error=EVIL,
        hint=EVIL,
        details={EVIL: EVIL},
        options={"grep": EVIL},
    )
    BatchTarget.objects.filter(idx=1).update(
        result={"content": f"{EVIL} javascript:alert(1)", "meta": {EVIL: EVIL}}
    )
    own = f"{JOBS}{job.id}/"
    return [JOBS, own, f"{own}targets/", f"{own}targets/0/", f"{own}targets/1/"]


def test_the_answer_is_json_unless_a_page_is_asked_for(
    as_ann: APIClient, places: list[str]
) -> None:
    for place in places:
        for accept in ("*/*", "application/json", "application/*", ""):
            answer = as_ann.get(place, HTTP_ACCEPT=accept)
            if accept or answer.status_code == 200:
                assert answer.headers["Content-Type"] == "application/json"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_browser_gets_a_page_in_which_nothing_of_a_target_is_markup(
    as_ann: APIClient, places: list[str]
) -> None:
    for place in places:
        answer = as_ann.get(place, HTTP_ACCEPT=BROWSER)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        page = answer.content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert 'href="javascript:' not in page.lower()
        assert place == JOBS or "&lt;script&gt;alert" in page


def test_a_browser_is_shown_forms_only_for_what_it_may_do(
    as_ann: APIClient, places: list[str]
) -> None:
    assert "Media type" in as_ann.get(JOBS, HTTP_ACCEPT=BROWSER).content.decode()
    assert "Media type" not in as_ann.get(places[2], HTTP_ACCEPT=BROWSER).content.decode()


def test_without_the_app_of_drf_a_browser_gets_json(
    as_ann: APIClient, places: list[str], settings: Any
) -> None:
    settings.INSTALLED_APPS = [
        app for app in settings.INSTALLED_APPS if not app.startswith("rest_framework")
    ]
    settings.REST_FRAMEWORK = {}
    for place in places:
        answer = as_ann.get(place, HTTP_ACCEPT=BROWSER)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
        refused = as_ann.get(place, HTTP_ACCEPT="text/html")
        assert refused.status_code == 406
        assert refused.headers["Content-Type"] == "application/problem+json"


def test_a_host_that_shows_no_pages_anywhere_shows_none_here(
    as_ann: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_settings, "DEFAULT_RENDERER_CLASSES", [JSONRenderer])
    assert as_ann.get(JOBS, HTTP_ACCEPT=BROWSER).headers["Content-Type"] == "application/json"


def test_head_is_a_get_without_its_body(as_ann: APIClient, places: list[str]) -> None:
    for place in places:
        head, get = as_ann.head(place), as_ann.get(place)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["Content-Type"] == get.headers["Content-Type"]
    assert as_ann.head(f"{JOBS}x/").status_code == 404
    assert as_ann.head(f"{places[1]}cancel/").status_code == 405


def test_options_tells_what_works(as_ann: APIClient, places: list[str]) -> None:
    answer = as_ann.options(JOBS)
    assert answer.status_code == 200
    assert answer.headers["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert answer.json()["parses"] == ["application/json"]
    assert as_ann.options(f"{places[1]}cancel/").headers["Allow"] == "POST, OPTIONS"


def test_host_settings_of_drf_do_not_change_the_api(
    as_ann: APIClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # These are read when DRF's classes are made; ours say each for themselves.
    named = vars(ApiView)
    for name in (
        *("permission_classes", "parser_classes", "renderer_classes", "metadata_class"),
        *("content_negotiation_class", "versioning_class"),
    ):
        assert name in named
    assert not {"authentication_classes", "throttle_classes"} & named.keys()


def test_links_follow_the_place_that_the_host_gave_the_api(
    as_ann: APIClient, settings: Any, ann: User
) -> None:
    settings.ROOT_URLCONF = __name__
    clear_url_caches()
    set_urlconf(None)
    created = as_ann.post("/outer/in/jobs/", {"targets": [URL]}, format="json")
    assert created.status_code == 202
    assert "/outer/in/jobs/" in created.headers["Location"]
    assert as_ann.get(created.headers["Location"]).status_code == 200
