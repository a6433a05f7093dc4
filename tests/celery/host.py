"""A host's Celery app, as `celery -A tests.celery.host` finds it."""

import os

from celery import Celery

BROKER, NAME = "TEST_CELERY_BROKER", "TEST_CELERY_NAME"


def make(broker: str, name: str) -> Celery:
    """An app whose queue at `broker` is called `name`, and nobody else's."""
    host = Celery(name, broker=broker, include=["batch.celery"])
    host.conf.update(
        task_default_queue=name,
        # What is kept in Redis beside the queue.
        broker_transport_options={"global_keyprefix": name} if "redis" in broker else {},
        broker_connection_retry_on_startup=True,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        beat_schedule={"tend": {"task": "batch.tend", "schedule": 1.0, "options": {"expires": 1}}},
    )
    return host


if BROKER in os.environ:
    app = make(os.environ[BROKER], os.environ[NAME])
