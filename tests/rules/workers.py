"""A worker in a thread of the test's own process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from batch import conf
from batch.worker import Worker


@contextmanager
def working(fetch: Any, *, poll_seconds: float = 0.05, **options: Any) -> Iterator[Worker]:
    """A worker in a thread of this process."""
    worker = Worker(fetch, conf.settings(), poll_seconds=poll_seconds, **options)

    def run() -> None:
        try:
            worker.run()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join(20)
        assert not thread.is_alive()
