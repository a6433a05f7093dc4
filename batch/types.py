"""The public words of ``batch``, and the parser that makes them from decoded JSON.

Nothing here knows Django, so a fetch function can run in a process without it.
"""

from batch.parsing import parse_targets
from batch.words import (
    Config,
    FetchContext,
    FetchFunc,
    Job,
    Options,
    Problem,
    Result,
    Submission,
    Target,
    TargetStatus,
)

__all__ = [
    "Config",
    "FetchContext",
    "FetchFunc",
    "Job",
    "Options",
    "Problem",
    "Result",
    "Submission",
    "Target",
    "TargetStatus",
    "parse_targets",
]
