"""The project's settings for the demo: its own database, and its own site within reach."""

import os
from urllib.parse import urlsplit

from sift_batch.settings import *  # noqa: F403

DEBUG = False

# The guard refuses this machine's own addresses. The local site is let through by its address
# and its port, and nothing else is; without it the guard is as it comes.
if _site := os.environ.get("SIFT_BATCH_DEMO_SITE"):
    SIFT_FETCH = {
        "ALLOWED_NETWORKS": ["127.0.0.1/32"],
        "ALLOWED_PORTS": [urlsplit(_site).port],
        "ARCHIVE_URL": f"{_site}/archive",
        "TOTAL_SECONDS": 15,
    }
