"""The database's disk is full: what was fetched waits until there is room."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from batch.models import BatchTarget
from tests.concurrency import eventually
from tests.connection import connection
from tests.faults.disks import Disk, small_disk
from tests.faults.servers import Postgres, living_on, named
from tests.faults.verdict import Stored, assert_sound
from tests.faults.workers import Records, all_terminal, ended, start, told
from tests.postgres import Cluster
from tests.processes import Process, Processes

pytestmark = [
    pytest.mark.long,
    pytest.mark.not_with("pgbouncer"),
    pytest.mark.django_db,
    pytest.mark.timeout(300),
]

# Longer than it took a drain to give an outcome up that the database had refused five times.
FULL_SECONDS = 6


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not below pytest's own folder, into which a server under another name may not look.
    with TemporaryDirectory(prefix="sift_batch_full_") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def an_outcome_waits_for_room(
    processes: Processes,
    records: Records,
    disk: Disk,
    env: dict[str, str],
    clear: Callable[[], None],
) -> Process:
    worker = start(processes, env=env, FETCH="tests.fetches.record_much", CLAIM_SECONDS=8)
    for _ in range(4):
        records.submit(6, seconds=0.3)
    stored = Stored()
    eventually(lambda: len(records.lines()) >= 8, 30)
    stored.look()
    disk.fill()
    eventually(lambda: told(worker, "database_away"), 30)
    time.sleep(FULL_SECONDS)
    waiting = len(records.lines())
    time.sleep(1)
    assert len(records.lines()) == waiting < 4 * 6
    clear()
    eventually(all_terminal, 60)
    assert len(records.lines()) == 4 * 6
    assert not BatchTarget.objects.exclude(status="done").exists(), worker.err
    assert_sound(records, stored)
    assert ended(worker)
    return worker


@pytest.mark.only_on("sqlite", "sqlite-default")
def test_sqlite_without_room_loses_nothing(
    processes: Processes, records: Records, folder: Path
) -> None:
    with small_disk(folder / "disk", 32) as disk:
        name = str(disk.path / "db.sqlite3")
        with living_on({**connection.settings_dict, "NAME": name}):
            an_outcome_waits_for_room(processes, records, disk, named(name), disk.clear)


@pytest.mark.only_on("postgres")
def test_postgresql_without_room_for_its_tables_loses_nothing(
    processes: Processes, records: Records, folder: Path, postgres: Postgres
) -> None:
    with small_disk(folder / "disk", 24) as disk:
        disk.path.chmod(0o777)
        space = disk.path / "space"
        space.mkdir(mode=0o777)
        space.chmod(0o777)

        shutil.chown(space, "pgserver")
        postgres.ask(f"CREATE TABLESPACE small LOCATION '{space}'")
        postgres.ask("ALTER TABLE batch_batchtarget SET TABLESPACE small")
        try:
            an_outcome_waits_for_room(processes, records, disk, postgres.env, disk.clear)
        finally:
            connection.close()
            postgres.ask("ALTER TABLE batch_batchtarget SET TABLESPACE pg_default")
            postgres.ask("DROP TABLESPACE small")


@pytest.mark.only_on("postgres")
def test_postgresql_without_room_at_all_loses_nothing(
    processes: Processes, records: Records, folder: Path
) -> None:
    with small_disk(folder / "disk", 200) as disk:
        cluster = Cluster(disk.path / "postgres")
        cluster.start()
        server = Postgres(cluster)

        def clear() -> None:
            disk.clear()
            connection.close()
            server.start()

        try:
            with living_on(server.settings):
                an_outcome_waits_for_room(processes, records, disk, server.env, clear)
        finally:
            cluster.stop()
