"""``python -m tests.fuzz --runs N``: N documents, the same ones for the same ``--seed``.

A finding is any exception but a ``FetchError``, a document that takes longer than ten seconds
or more memory than the limit, and a crash. The exit code is 0 without one, 2 when atheris is not
installed, another otherwise; the document is then kept in ``--keep`` (as ``current`` when the
process itself was ended), and ``python -m tests.fuzz FILE`` reads it again.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import shutil
import signal
import sys
import tempfile
import warnings
from pathlib import Path

MEMORY_MB = 2048
MAX_BYTES = 6000
HANGS_AFTER_SECONDS = 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="how many documents")
    parser.add_argument("--seed", type=int, default=1, help="which documents, from 1")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "sift-fuzz")
    parser.add_argument("files", nargs="*", help="documents of earlier findings to read again")
    given = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.stderr.write("atheris is not installed: pip install -r requirements-fuzz.txt\n")
        sys.exit(2)
    with atheris.instrument_imports(include=["sift_batch.fetch"]):
        # By name, for the fetch itself imports them when it needs them.
        import sift_batch.fetch.html.convert
        import sift_batch.fetch.pdf  # noqa: F401

        from . import reading
    from .seeds import WORDS, seeds

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    given.keep.mkdir(parents=True, exist_ok=True)

    current = given.keep / "current"
    faulthandler.register(signal.SIGPROF, chain=True)

    def one(data: bytes) -> None:
        # The search's own alarm would be in the way of the one under test.
        signal.setitimer(signal.ITIMER_REAL, 0)
        current.write_bytes(data)
        # C code that never returns is ended by the signal's own effect.
        signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER_SECONDS)
        reading.read(data)

    # The search ends the process, so whatever it leaves is in a folder that it finds again.
    corpus = given.keep / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir()
    for number, seed in enumerate(seeds()):
        corpus.joinpath(f"{number:03}").write_bytes(seed)
    words = given.keep / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in WORDS))
    options = [
        f"-runs={given.runs}",
        f"-seed={given.seed}",
        f"-max_len={MAX_BYTES}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={given.keep}/",
        f"-dict={words}",
        "-len_control=0",
        "-reload=0",
    ]
    atheris.Setup([sys.argv[0], *options, *(given.files or [str(corpus)])], one)
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    main()
