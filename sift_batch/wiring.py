"""Where the settings meet the fetch pipeline: what ``sift_batch.settings`` names in BATCH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from batch.types import Problem, Target

try:
    from sift_batch.fetch import FetchConfig, Fetcher
    from sift_batch.fetch import validate as _validate
    from sift_batch.fetch.address import parse_url
except ModuleNotFoundError as missing:
    raise ImportError(f"{missing.name} is not here: pip install 'sift-batch[fetch]'") from missing

_KEYS = tuple(field.name.upper() for field in fields(FetchConfig) if field.name != "resolver")


def config_from_settings() -> FetchConfig:
    """``SIFT_FETCH`` as a :class:`FetchConfig`. Raises ``ImproperlyConfigured``."""
    given = getattr(settings, "SIFT_FETCH", {})
    if not isinstance(given, Mapping):
        raise ImproperlyConfigured("SIFT_FETCH must be a dict")
    for key in given:
        if key not in _KEYS:
            raise ImproperlyConfigured(
                f"SIFT_FETCH has no key {key!r}; its keys are {', '.join(_KEYS)}"
            )
    try:
        return FetchConfig(**{key.lower(): value for key, value in given.items()})
    except ValueError as bad:
        raise ImproperlyConfigured(f"SIFT_FETCH: {bad}") from bad


fetch: Fetcher
"""The fetch function of this project; made anew, from the settings of the moment, by each use
of the name. It pickles by its configuration, so a child process needs no settings for it."""


def __getattr__(name: str) -> Fetcher:
    if name == "fetch":
        return Fetcher(config_from_settings())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def validate(targets: Sequence[Target]) -> list[Problem]:
    """What a submit refuses, see :func:`sift_batch.fetch.validate`."""
    return _validate(targets)


def lane(target: Target) -> str:
    """The host of a target, or nothing for a URL that has none."""
    try:
        return parse_url(target.url).raw_host.decode("ascii").removesuffix(".")
    except Exception:  # a bad URL fails its own target later, with a proper error
        return ""
