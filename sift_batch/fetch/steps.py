"""What the pipeline decides, step by step: DEBUG records for whoever wants to see.

Each is written when its step is over, so the time since the one before is what it took.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("sift_batch.fetch")


def step(event: str, **facts: object) -> None:
    """Tell of a step that is over. No page's text, program or credential belongs in ``facts``."""
    if logger.isEnabledFor(logging.DEBUG):
        known = {key: value for key, value in facts.items() if value is not None}
        logger.debug(event, extra=known)
