"""What happens in all processes that share a folder (PROMETHEUS_MULTIPROC_DIR), as one.

prometheus-client then keeps each process's counts in a file there, so that whichever web process
is asked tells those of all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from prometheus_client import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

OURS = "batch_"


def is_shared() -> bool:
    return "PROMETHEUS_MULTIPROC_DIR" in os.environ


class Shared(Collector):
    """The counts of this app alone: the host's own in that folder have a page of theirs."""

    def collect(self) -> Iterable[Metric]:
        found = MultiProcessCollector(None).collect()  # type: ignore[no-untyped-call]
        return [metric for metric in found if metric.name.startswith(OURS)]
