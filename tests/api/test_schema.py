"""The OpenAPI document, and its page."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from openapi_spec_validator import validate
from rest_framework.test import APIClient

from batch.api.urls import urlpatterns
from tests.api.conftest import JOBS

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(as_ann: APIClient) -> dict[str, Any]:
    answer = as_ann.get("/api/schema/")
    assert answer.status_code == 200
    return answer.json()


def test_the_document_is_a_valid_one(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_every_address_and_every_call_of_the_api_is_in_it(document: dict[str, Any]) -> None:
    told = {(path, method) for path, calls in document["paths"].items() for method in calls}
    assert ("/api/jobs/", "post") in told
    known = set()
    for pattern in urlpatterns:
        view = getattr(pattern.callback, "cls", None)
        name = getattr(pattern, "name", None)
        if view is None or not name or name in ("schema", "docs"):
            continue
        route = "/api/" + str(pattern.pattern).replace("<str:", "{").replace(">", "}")
        known |= {
            (route, method)
            for method in ("get", "post", "put", "patch", "delete")
            if hasattr(view, method)
        }
    assert told == known


def test_every_call_has_a_name_of_its_own(document: dict[str, Any]) -> None:
    names = [call["operationId"] for calls in document["paths"].values() for call in calls.values()]
    assert len(names) == len(set(names)) > 5


def test_nobody_without_an_account_reads_it(client: Client) -> None:
    for path in ("/api/schema/", "/api/docs/"):
        assert client.get(path).status_code in (401, 403)


def test_the_page_loads_everything_from_here_and_nothing_inline(as_ann: APIClient) -> None:
    page = as_ann.get("/api/docs/").content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert "</script>" in page
    for part in page.split("<script")[1:]:
        assert part.startswith(' src="/')
        assert part.split(">", 1)[1].startswith("</script>")
    assert "//cdn" not in page


def test_the_script_of_the_page_knows_where_the_document_is(as_ann: APIClient) -> None:
    script = as_ann.get("/api/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/schema/" in script.content.decode()


def test_a_hosts_settings_change_nothing(settings: Any, as_ann: APIClient) -> None:
    before = as_ann.get("/api/schema/").json()
    settings.SPECTACULAR_SETTINGS = {"TITLE": "Shop", "VERSION": "9", "SCHEMA_PATH_PREFIX": "/api"}
    assert as_ann.get("/api/schema/").json() == before


WITHOUT = """
import sys
sys.modules["drf_spectacular"] = None
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "drf_spectacular" else found(name, *rest)
import django
from django.conf import settings
from tests import settings as known
settings.configure(**{
    name: getattr(known, name) for name in dir(known) if name.isupper()
} | {"INSTALLED_APPS": ["rest_framework", "batch"], "REST_FRAMEWORK": {}})
django.setup()
from batch.api.urls import urlpatterns
print([p.name for p in urlpatterns if p.name in ("schema", "docs")], len(urlpatterns) > 5)
"""


def test_a_host_without_it_has_the_api_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[] True\n", done.stderr


def test_an_answer_is_what_the_document_says(
    document: dict[str, Any], ann: User, as_ann: APIClient, submit: Any
) -> None:
    from jsonschema import Draft202012Validator

    def check(answer: Any, path: str, method: str = "get") -> None:
        said = document["paths"][path][method]["responses"][str(answer.status_code)]["content"]
        schema = said[answer["Content-Type"].partition(";")[0]]["schema"]
        whole = {**schema, "components": document["components"]}
        Draft202012Validator(whole).validate(answer.json())

    made = as_ann.post(JOBS, {"targets": ["https://e.com/"]}, format="json")
    check(made, "/api/jobs/", "post")
    job = made.json()["links"]["self"]
    check(as_ann.get(JOBS), "/api/jobs/")
    check(as_ann.get(job), "/api/jobs/{job_id}/")
    check(as_ann.get(job + "targets/"), "/api/jobs/{job_id}/targets/")
    check(as_ann.get(job + "targets/0/"), "/api/jobs/{job_id}/targets/{idx}/")
    check(as_ann.get(job + "?wait=x"), "/api/jobs/{job_id}/")
    check(as_ann.post(JOBS, {"targets": [5]}, format="json"), "/api/jobs/", "post")
    check(as_ann.post(job + "retry/"), "/api/jobs/{job_id}/retry/", "post")
    check(as_ann.post(job + "cancel/"), "/api/jobs/{job_id}/cancel/", "post")
