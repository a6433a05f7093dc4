"""Where the settings meet the pipeline."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from batch.types import Options, Target
from sift_batch import wiring
from sift_batch.fetch import Fetcher

ROOT = Path(__file__).parents[2]


def test_the_settings_become_the_configuration(settings) -> None:  # type: ignore[no-untyped-def]
    settings.SIFT_FETCH = {"MAX_PAGES": 7, "ALLOWED_NETWORKS": ["10.0.0.0/8"]}
    assert isinstance(wiring.fetch, Fetcher)
    assert wiring.fetch.config.max_pages == 7
    assert wiring.fetch.config.allowed_networks == ("10.0.0.0/8",)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"MAX_PAGE": 7}, "MAX_PAGE"),
        ({"max_pages": 7}, "max_pages"),
        ({"RESOLVER": None}, "RESOLVER"),
        ({"MAX_PAGES": "7"}, "max_pages"),
        ([], "dict"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings, given, named) -> None:  # type: ignore[no-untyped-def]
    settings.SIFT_FETCH = given
    with pytest.raises(ImproperlyConfigured, match=named):
        _ = wiring.fetch


def test_the_fetch_travels_to_a_process_without_django(settings) -> None:  # type: ignore[no-untyped-def]
    settings.SIFT_FETCH = {"MAX_PAGES": 7}
    code = (
        "import pickle, sys; sys.modules['django'] = None\n"
        "fetch = pickle.loads(sys.stdin.buffer.read())\n"
        "print(type(fetch).__module__, fetch.config.max_pages)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(wiring.fetch),
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout.split() == [b"sift_batch.fetch.fetcher", b"7"]


@pytest.mark.parametrize(
    ("url", "lane"),
    [
        ("https://Page.Test./x", "page.test"),
        ("http://page.test:8080/", "page.test"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("nonsense", ""),
        ("ftp://page.test/", ""),
    ],
)
def test_the_lane_of_a_target_is_its_host(url: str, lane: str) -> None:
    assert wiring.lane(Target(url)) == lane


def test_targets_are_validated_by_the_pipeline() -> None:
    assert [p.code for p in wiring.validate([Target("x", Options(mode="y"))])] == ["bad_mode"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = wiring.nothing
