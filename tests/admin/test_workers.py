"""The list of workers."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.test import Client

from batch import database
from batch.models import BatchGate, BatchWorker
from tests.connection import connection

from .conftest import listed, page_of, shown


def seen(seconds_ago: float, name: str = "host:1:ab") -> BatchWorker:
    """A worker that was last seen so long ago, by the database's clock."""
    moment = database.now(connection.alias) - timedelta(seconds=seconds_ago)
    return BatchWorker.objects.create(name=name, slots=4, busy=2, started_at=moment, seen_at=moment)


def test_a_worker_is_alive_as_long_as_its_claims_are(root: Client, settings: Any) -> None:
    settings.BATCH = {"CLAIM_SECONDS": 30}
    seen(20)
    page = shown(root, listed(BatchWorker))
    assert "batch-alive" in page
    assert "20 s ago" in page
    BatchWorker.objects.all().delete()
    seen(40)
    assert "batch-silent" in shown(root, listed(BatchWorker))


def test_a_workers_page_has_nothing_to_save(root: Client) -> None:
    worker = seen(1, name="host:2:c/d_e")
    page = shown(root, page_of(worker).replace(worker.name, "host_3A2_3Ac_2Fd_5Fe"))
    assert worker.name in page
    assert 'name="_save"' not in page
    assert root.get(listed(BatchWorker) + "add/").status_code == 403


def test_workers_need_their_own_permission(staff: Callable[..., Client]) -> None:
    assert staff("view_batchjob").get(listed(BatchWorker)).status_code == 403


def test_the_gate_is_nobodys_business(root: Client) -> None:
    assert BatchGate._meta.model_name not in shown(root, "/admin/batch/")
