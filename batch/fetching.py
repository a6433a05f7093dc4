"""From the setting FETCH to the function that drains use."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from batch.words import FetchFunc


def load_fetch(path: str | None) -> FetchFunc:
    """The fetch function at a dotted path. Raises ``ImproperlyConfigured``, in one line."""
    if not path:
        raise ImproperlyConfigured(
            'BATCH["FETCH"] is not set: name the function that fetches a target, such as'
            ' "myproject.fetching.fetch"'
        )
    try:
        fetch = import_string(path)
    except Exception as error:  # the module is the host's: importing it may raise anything
        raise ImproperlyConfigured(
            f'BATCH["FETCH"]: {path!r} cannot be imported ({type(error).__name__}: {error})'
        ) from error
    if not callable(fetch):
        raise ImproperlyConfigured(f'BATCH["FETCH"]: {path!r} is not callable')
    return fetch  # type: ignore[no-any-return]
