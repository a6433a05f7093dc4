"""What comes of the same bytes does not depend on the process, nor on what it read before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIGESTS = """
import hashlib, json, logging, sys
logging.disable(logging.CRITICAL)
from tests.fetch.kit import Web, fetch, reply
from tests.fetch.pages import KINDS
web = Web()
kinds = [kind for kind in KINDS if kind.error is None]
served = web.serve({f"/{kind.name}": reply(kind.body, kind.content_type) for kind in kinds})
config = web.config()
found = {}
for kind in reversed(kinds) if sys.argv[1:] else kinds:
    result = fetch(f"http://page.test:{served.port}/{kind.name}", config)
    meta = {k: v for k, v in result.meta.items() if k not in ("fetched_at", "elapsed_ms")}
    told = json.dumps([result.content, meta], sort_keys=True).replace(str(served.port), "PORT")
    found[kind.name] = hashlib.sha256(told.encode()).hexdigest()
web.stop()
print(json.dumps(found, sort_keys=True))
"""


def digests(seed: str, *backwards: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, *backwards],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_another_process_and_another_order_give_the_same_content_and_meta() -> None:
    first, second = digests("1"), digests("2", "backwards")
    assert first.count('"') > 100
    assert first == second
