"""A network between a worker and its database: slow, silent, or cut."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Proxy:
    """Passes bytes on between 127.0.0.1:`port` and a socket of the file system.

    `delay_seconds` is what each packet takes, in both directions. While it is `silent`, nothing
    arrives any more, and nobody is told.
    """

    def __init__(self, target: Path) -> None:
        self.delay_seconds = 0.0
        self._target = str(target)
        self._passing = threading.Event()
        self._passing.set()
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Packets are held back until the block ends."""
        self._passing.clear()
        try:
            yield
        finally:
            self._passing.set()

    def cut(self) -> None:
        """End each connection, in a way that both ends notice."""
        ends, self._ends = self._ends, []
        _end(*ends)

    def close(self) -> None:
        _end(self._door)  # else who waits at it would wait on
        self._passing.set()
        self.cut()

    def _accept(self) -> None:
        with self._door, suppress(OSError):
            while True:
                here, _ = self._door.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(self._target)
                self._ends += [here, there]
                threading.Thread(target=self._serve, args=(here, there), daemon=True).start()

    def _serve(self, here: socket.socket, there: socket.socket) -> None:
        back = threading.Thread(target=self._pass, args=(there, here), daemon=True)
        with here, there:
            back.start()
            self._pass(here, there)
            back.join()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                time.sleep(self.delay_seconds)
                self._passing.wait()
                other.sendall(data)
        _end(one, other)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
