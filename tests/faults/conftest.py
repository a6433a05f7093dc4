"""What the tests of faults share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.servers import MariaDB, Postgres, living_on
from tests.faults.workers import Records
from tests.machine import cannot
from tests.mariadb import Server, installed
from tests.postgres import Cluster


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """Where `tests.fetches.record` notes what was fetched."""
    return Records(tmp_path)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    # Not below pytest's own folder: each run of pytest closes that to other users, and the server
    # is one.
    with TemporaryDirectory(prefix="sift_batch_outages_") as folder:
        cluster = Cluster(Path(folder) / "postgres")
        cluster.start()
        yield cluster
        cluster.stop()


@pytest.fixture
def postgres(cluster: Cluster) -> Iterator[Postgres]:
    """A PostgreSQL server of the test's own, on which it lives."""
    server = Postgres(cluster)
    with living_on(server.settings):
        yield server


@pytest.fixture
def mariadb() -> Iterator[MariaDB]:
    """A MariaDB server of the test's own, on which it lives; never the one that others share."""
    if not installed():
        pytest.skip(cannot("start a MariaDB server: its programs are not installed"))
    with TemporaryDirectory(prefix="sift_batch_mariadb_") as folder:
        server = Server(Path(folder))
        server.start()
        try:
            private = MariaDB(server)
            with living_on(private.settings):
                yield private
        finally:
            server.stop()
