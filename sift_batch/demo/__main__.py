"""The demo's command line: what it is given, how it is stopped, how it fails."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

from sift_batch.demo.api import Refused
from sift_batch.demo.children import CannotServe
from sift_batch.demo.play import DemoFailed, play
from sift_batch.demo.screen import Screen, printable

DATABASE = Path("demo.sqlite3")
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m sift_batch.demo",
        description="Fetches a small site on this machine, or the URLs given, and shows it all.",
    )
    parser.add_argument("urls", nargs="*", metavar="URL", help="default: those in $URLS, if any")
    parser.add_argument("--database", type=Path, default=DATABASE, help="default: %(default)s")
    given = parser.parse_args(argv)
    urls = given.urls or os.environ.get("URLS", "").split()
    for number in STOPS:
        signal.signal(number, _interrupted)
    cleanup = ExitStack()
    try:
        play(Screen(), cleanup, given.database, urls)
    except KeyboardInterrupt:
        return _failed("interrupted", INTERRUPTED)
    except (CannotServe, DemoFailed, Refused, OSError) as error:
        return _failed(str(error), 1)
    finally:
        # A second Ctrl-C must not leave a process behind: each has its time to end, and no more.
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        cleanup.close()
    return 0


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _failed(why: str, code: int) -> int:
    sys.stderr.write(f"\nsift_batch.demo: {printable(why)}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
