"""As bench/quiet_settings.py, with caps that callers keep running into.

BENCH_JOBS_TOTAL   the cap of that name
"""

import os

from bench.quiet_settings import *  # noqa: F403
from bench.quiet_settings import BATCH

CAPS = {
    "TARGETS_PER_JOB": 8,
    "JOBS_PER_CALLER": 1,
    "JOBS_TOTAL": int(os.environ.get("BENCH_JOBS_TOTAL", "8")),
}
BATCH = {**BATCH, **CAPS, "FETCH": "bench.fetches.page"}
