"""The fetch pipeline: a URL and options in, readable text or a telling error out.

It knows neither Django nor rows. The names below are all that others use::

    Fetcher(FetchConfig(total_seconds=30))(FetchContext(), Target("https://example.com/"))
"""

from __future__ import annotations

from .config import FetchConfig
from .fetcher import Fetcher
from .validate import validate

__all__ = ["FetchConfig", "Fetcher", "validate"]
