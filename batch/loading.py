"""From the dotted paths in settings to what they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from batch.text import one_line
from batch.words import FetchFunc


def load(key: str, path: str) -> Callable[..., Any]:
    """The callable at the dotted path of ``BATCH[key]``. Raises ``ImproperlyConfigured``, in
    one line."""
    try:
        found = import_string(path)
    except ImproperlyConfigured as error:  # settings of its own, such as SIFT_FETCH
        raise ImproperlyConfigured(one_line(f"BATCH[{key!r}]: {path!r}: {error}")) from error
    except Exception as error:  # the module is the host's: importing it may raise anything
        why = one_line(f"{type(error).__name__}: {error}")
        raise ImproperlyConfigured(
            f"BATCH[{key!r}]: {path!r} cannot be imported ({why})"
        ) from error
    if not callable(found):
        raise ImproperlyConfigured(f"BATCH[{key!r}]: {path!r} is not callable")
    return found  # type: ignore[no-any-return]


def load_fetch(path: str | None) -> FetchFunc:
    """The fetch function. Raises ``ImproperlyConfigured``, also where none is named."""
    if not path:
        raise ImproperlyConfigured(
            'BATCH["FETCH"] is not set: name the function that fetches a target, such as'
            ' "myproject.fetching.fetch"'
        )
    return load("FETCH", path)
