"""The fetch function that a runner calls."""

from __future__ import annotations

import importlib
import logging
import secrets
from typing import Any

from batch.errors import FetchError
from batch.types import FetchContext, Result, Target

from .config import FetchConfig
from .errors import fail
from .pipeline import fetch_target

logger = logging.getLogger("sift_batch.fetch")

_SLOW_TO_IMPORT = ("trafilatura.metadata", "htmldate", "sift_batch.fetch.html.convert")


class Fetcher:
    """Fetches targets by one configuration.

    It holds nothing but that: connections, cookies and clocks belong to one call, so an
    instance may be pickled into another process and be called from several threads.
    """

    def __init__(self, config: FetchConfig | None = None) -> None:
        self.config = config or FetchConfig()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Whoever gets one from another process is about to fetch: what takes long to import is
        imported now, before any target's clock runs."""
        for name in _SLOW_TO_IMPORT:
            importlib.import_module(name)
        self.__dict__.update(state)

    def __call__(self, context: FetchContext, target: Target) -> Result:
        """The text behind ``target``. Raises :class:`batch.errors.FetchError` only."""
        try:
            return fetch_target(self.config, context, target)
        except FetchError:
            raise
        except MemoryError:
            raise  # the runner's own limit, which it reports as such
        except Exception:
            reference = secrets.token_hex(4)
            logger.exception(
                "fetch_internal_error",
                extra={"reference": reference, "job": context.job_id, "idx": context.idx},
            )
            raise fail(
                "internal",
                f"the fetch failed for a reason of its own (reference {reference})",
                "tell the operator the reference; the log has the details under it",
                reference=reference,
            ) from None
