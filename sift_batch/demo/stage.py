"""What stands before the demo begins: a fresh database, two accounts, a web server, a worker."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sift_batch.demo.children import Child, listen, start_web, start_worker, wait_for_web
from sift_batch.demo.screen import Screen
from sift_batch.serve import USERNAME, make_account, make_token, set_up_django

WEB_LOG = Path(".run/demo-web.log")
WORKER_LOG = Path(".run/demo-worker.log")
CALLER = "demo"


@dataclass(frozen=True)
class Stage:
    """What the demo plays on. ``staff_password`` opens the admin, ``token`` is the caller's."""

    database: Path
    web: Child
    worker: Child
    port: int
    token: str
    staff_password: str


def set_stage(screen: Screen, database: Path, site: str, cleanup: ExitStack) -> Stage:
    """Everything new, on ports that are free; ``cleanup`` ends it. Raises ``CannotServe``."""
    if site:
        screen.line(f"site      {site}, made for this: nothing leaves this machine", indent=2)
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "sift_batch.demo.settings",
        "DATABASE_URL": f"sqlite:///{database.absolute()}",
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "127.0.0.1",
        "SIFT_BATCH_DEMO_SITE": site,
    }
    for file in (database, *(Path(f"{database}-{side}") for side in ("wal", "shm", "journal"))):
        file.unlink(missing_ok=True)
    WORKER_LOG.parent.mkdir(mode=0o700, exist_ok=True)
    set_up_django(env)
    password = make_account(USERNAME, staff=True)
    make_account(CALLER, staff=False)
    token = make_token(CALLER)
    screen.line(f"database  {database}, made anew", indent=2)
    listener = listen(0)
    port = listener.getsockname()[1]
    web = start_web(listener, env, WEB_LOG)
    cleanup.callback(web.end)
    worker = start_worker(env, WORKER_LOG)
    cleanup.callback(worker.end)
    screen.line(f"worker    manage.py batch_worker, process {worker.pid}", indent=2)
    wait_for_web(web, port)
    screen.line(f"web       gunicorn, process {web.pid}, port {port}", indent=2)
    return Stage(database, web, worker, port, token, password)
