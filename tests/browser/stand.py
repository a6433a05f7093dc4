"""What the browser looks at: the project as it is served, with a real worker and a site."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from sift_batch.demo.children import HOST, listen, start_web, start_worker, wait_for_web
from tests.browser.site import Site
from tests.concurrency import eventually
from tests.processes import ROOT

USERNAME = "ann"
PASSWORD = "only for tests"


@dataclass(frozen=True)
class Stand:
    url: str
    site: Site
    env: dict[str, str]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def manage(self, *args: str, given: str = "") -> str:
        """What `manage.py ARGS` printed; it may not fail."""
        done = subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=ROOT,
            env=self.env,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{args}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def submit(self, *paths: str) -> str:
        """The id of a new job of pages of the site."""
        # The same list again would be the same job.
        number = next(self._numbers)
        urls = [f"{self.site.url}{path}?{number}" for path in paths]
        return str(self._ask("jobs/", {"targets": urls})["id"])

    def drained(self, *paths: str) -> str:
        """The id of a job that has ended."""
        job = self.submit(*paths)
        eventually(lambda: self._ask(f"jobs/{job}/?wait=10")["finished_at"])
        return job

    def _ask(self, path: str, body: Any = None) -> Any:
        secret = b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
        headers = {"Authorization": f"Basic {secret}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self.url}/api/{path}", data, headers), timeout=30) as answer:
            return json.load(answer)


@contextmanager
def standing(folder: Path) -> Iterator[Stand]:
    """Everything on ports that are free and on a new SQLite file, until it is left."""
    with ExitStack() as cleanup:
        site = Site()
        cleanup.callback(site.close)
        listener = listen(0)
        port = listener.getsockname()[1]
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.browser.settings",
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
            "DATABASE_URL": f"sqlite:///{folder / 'browser.sqlite3'}",
            "SECRET_KEY": "only-for-tests",
            "ALLOWED_HOSTS": HOST,
            "PYTHONPATH": str(ROOT),
            "TEST_SITE_PORT": str(site.port),
        }
        stand = Stand(f"http://{HOST}:{port}", site, env)
        stand.manage("migrate", "--verbosity=0")
        stand.manage("createsuperuser", "--noinput", f"--username={USERNAME}", "--email=")
        web = start_web(listener, env, folder / "web.log")
        cleanup.callback(web.end)
        worker = start_worker(env, folder / "worker.log")
        cleanup.callback(worker.end)
        cleanup.callback(site.let_all_go)  # the worker ends with the jobs that it has in hand
        wait_for_web(web, port)
        yield stand
