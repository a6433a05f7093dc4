"""What the live server's worker runs instead of a fetch."""

import time

from batch.errors import FetchError
from batch.types import FetchContext, Result, Target


def fetch(context: FetchContext, target: Target) -> Result:
    """Nowhere, and at once, or with `context` in time to be cancelled; `recover` is beyond it."""
    if target.options.context:
        time.sleep(3)
    if target.options.recover:
        raise FetchError("the page is gone", code="not_found", hint="look elsewhere")
    return Result(f"what is at {target.url}", {"type": "text/plain"})
