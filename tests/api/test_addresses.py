"""Which methods an address takes, and what is said where there is none."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.api.conftest import JOBS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("place", ["", "1/", "1/targets/", "1/targets/0/", "1/cancel/", "1/retry/"])
def test_the_methods_that_work_are_listed_where_one_does_not(as_ann: APIClient, place: str) -> None:
    answer = as_ann.patch(JOBS + place)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    allowed = {
        "": "GET, POST, HEAD, OPTIONS",
        "1/": "GET, DELETE, HEAD, OPTIONS",
        "1/cancel/": "POST, OPTIONS",
        "1/retry/": "POST, OPTIONS",
    }
    assert answer.headers["Allow"] == allowed.get(place, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize(
    "place",
    [
        *("x", "x/", "%00/", "%0A/", "%FF/", "..%2F/", "<script>/", "0/", "9" * 400 + "/"),
        *("x/y", "x/targets/0/more/", "x%2Fy/", "/", "a%0Ab/c", "x.json", "%ED%A0%80/"),
        *("00000000-0000-0000-0000-000000000000/", "{urn:uuid:}/"),
    ],
)
def test_any_text_below_jobs_gets_a_problem_and_no_page(as_ann: APIClient, place: str) -> None:
    for method in ("get", "delete"):
        answer = getattr(as_ann, method)(JOBS + place)
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] in {"not_found", "method_not_allowed"}
