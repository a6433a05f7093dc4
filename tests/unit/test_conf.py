"""The settings dict BATCH: defaults, faults, and what wins over what."""

import math
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from batch import conf
from batch.types import Config

DEFAULTS = {
    "FETCH": None,
    "CHILD_DJANGO": True,
    "EXTRA_OPTIONS": False,
    "LANE": None,
    "PER_LANE": None,
    "LANE_PAUSE_SECONDS": None,
    "WAITERS": 2,
    "VALIDATE": None,
    "TTL_SECONDS": 86400,
    "TARGETS_PER_JOB": 32,
    "JOBS_PER_CALLER": 1,
    "JOBS_TOTAL": 8,
    "CLASSES": {},
    "TARGET_TIMEOUT_SECONDS": 120,
    "TARGET_MEMORY_BYTES": 1024**3,
    "RESULT_MAX_BYTES": 5 * 1024**2,
    "ISOLATION": "process",
    "DISPATCH": "worker",
    "BODY_MAX_BYTES": 10 * 1024**2,
    "CLAIM_SECONDS": 60,
    "CALLER": "batch.api.callers.user",
}
NUMBERS = [key for key, value in DEFAULTS.items() if type(value) is int]
WHOLE = [key for key in NUMBERS if not key.endswith("_SECONDS")]
SECONDS = [key for key in NUMBERS if key.endswith("_SECONDS")]
PATHS = ["FETCH", "LANE", "VALIDATE", "CALLER"]

BAD: list[tuple[str, Any]] = [
    *((key, value) for key in NUMBERS for value in (-1, "1", None, True, [], math.nan)),
    *((key, 0) for key in NUMBERS if key != "TARGET_MEMORY_BYTES"),
    *((key, 1.5) for key in WHOLE),
    *((key, 2**31) for key in (*conf.CAPS, "WAITERS", "RESULT_MAX_BYTES", "PER_LANE")),
    ("TARGET_MEMORY_BYTES", 2**62),
    ("TARGET_TIMEOUT_SECONDS", 30 * 86400),
    *((key, math.inf) for key in SECONDS),
    *((key, value) for key in PATHS for value in ("name", 5, "a..b", "a b.c", ".a", "", b"a.b")),
    *((key, value) for key in ("CHILD_DJANGO", "EXTRA_OPTIONS") for value in (0, 1, "yes", None)),
    *(("PER_LANE", value) for value in (-1, 0, 1.5, "1", True, [], math.nan)),
    *(("LANE_PAUSE_SECONDS", value) for value in (-1, 0, "1", True, [], math.nan, math.inf)),
    *(("ISOLATION", value) for value in ("fork", "", None, "Process")),
    *(("DISPATCH", value) for value in ("web", "", None, 5)),
    ("CALLER", None),
    ("CLASSES", None),
    ("CLASSES", []),
    ("CLASSES", {"staff": 5}),
    ("CLASSES", {"staff": {"TTL_SECONDS": 5}}),
    ("CLASSES", {"staff": {"JOBS_TOTAL": 0}}),
    ("CLASSES", {"staff": {"JOBS_TOTAL": "5"}}),
    ("CLASSES", {5: {}}),
    ("TTL_SECONDS", timedelta(0)),
    ("TTL_SECONDS", timedelta(days=-1)),
]


def found(batch: Any) -> list[Any]:
    with override_settings(BATCH=batch):
        return [one for one in run_checks(tags=["batch"]) if (one.id or "").startswith("batch.E")]


def test_the_defaults_are_the_promised_ones() -> None:
    settings = conf.settings()
    assert set(conf.KEYS) == set(DEFAULTS)
    assert {key: getattr(settings, key.lower()) for key in DEFAULTS} == DEFAULTS


def test_a_project_without_the_dict_has_the_defaults(settings: Any) -> None:
    del settings.BATCH
    assert conf.settings().jobs_total == 8
    assert found({}) == []


@pytest.mark.parametrize(("key", "value"), BAD, ids=lambda value: ascii(value)[:40])
def test_a_bad_value_is_an_error_with_an_id_and_a_hint(key: str, value: Any) -> None:
    (error,) = found({key: value})
    assert error.id == "batch.E003"
    assert key in error.msg
    assert error.hint
    with (
        override_settings(BATCH={key: value}),
        pytest.raises(ImproperlyConfigured, match=key) as caught,
    ):
        conf.settings()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["JOBS_MAX", "jobs_total", 5])
def test_an_unknown_key_is_an_error_that_lists_the_known_ones(key: Any) -> None:
    (error,) = found({key: 1})
    assert error.id == "batch.E002"
    assert "JOBS_TOTAL" in error.hint


@pytest.mark.parametrize("batch", [None, [], "x", 5])
def test_what_is_no_dict_is_an_error(batch: Any) -> None:
    (error,) = found(batch)
    assert error.id == "batch.E001"
    assert error.hint


def test_every_fault_is_listed_at_once() -> None:
    assert len(found({"JOBS_TOTAL": 0, "NO_SUCH": 1, "ISOLATION": "x"})) == 3


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("TARGET_MEMORY_BYTES", 0),
        ("TTL_SECONDS", timedelta(hours=1)),
        ("TTL_SECONDS", 0.5),
        ("CLAIM_SECONDS", 0.5),
        ("DISPATCH", "thread"),
        ("DISPATCH", "os.path.join"),
        ("ISOLATION", "thread"),
        ("LANE", None),
        ("PER_LANE", 2),
        ("PER_LANE", None),
        ("LANE_PAUSE_SECONDS", 0.5),
        ("LANE_PAUSE_SECONDS", None),
        ("CLASSES", {"staff": {}, "": {"JOBS_PER_CALLER": 3}}),
        ("FETCH", "host.fetch.Fetcher"),
    ],
)
def test_a_good_value_is_taken(key: str, value: Any) -> None:
    assert found({key: value}) == []
    with override_settings(BATCH={key: value}):
        assert getattr(conf.settings(), key.lower()) == value


def test_nothing_is_cached() -> None:
    with override_settings(BATCH={"JOBS_TOTAL": 3}):
        assert conf.settings().jobs_total == 3
    assert conf.settings().jobs_total == 8


@pytest.mark.parametrize("nothing", [0, None])
def test_a_zero_in_a_config_means_what_the_settings_say(nothing: Any) -> None:
    with override_settings(BATCH={"TARGETS_PER_JOB": 5, "CLASSES": {"a": {"JOBS_TOTAL": 2}}}):
        config = Config(targets_per_job=nothing, jobs_per_caller=nothing, jobs_total=nothing)
        assert conf.settings().caps("a", config) == conf.Caps(
            targets_per_job=5, jobs_per_caller=1, jobs_total=2
        )
        assert conf.settings().caps("b", Config(jobs_total=7)).jobs_total == 7
        assert conf.settings().caps("a", Config(jobs_total=7)).jobs_total == 7
