"""The demo from its first line to its last.

A web server and a worker are real processes; between them and this program there is the API
alone. With URLs of the user's own there is no local site, and the guard is as it comes.
"""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sift_batch.demo.api import Api
from sift_batch.demo.local_site import LocalSite
from sift_batch.demo.results import show_head, show_target
from sift_batch.demo.screen import Screen
from sift_batch.demo.stage import CALLER, WORKER_LOG, Stage, set_stage
from sift_batch.demo.targets import LOCAL_FAILURES, local_targets, targets_of
from sift_batch.serve import PORT, USERNAME

LOOK_SECONDS = 0.1
LIVE = ("queued", "running")


class DemoFailed(Exception):
    """The demo ran, and showed something that it should not."""


def play(screen: Screen, cleanup: ExitStack, database: Path, urls: Sequence[str]) -> None:
    """All of it. Raises `DemoFailed`, `CannotServe` or `Refused`, each with one line to show."""
    started = time.monotonic()
    site = "" if urls else _local_site(cleanup)
    screen.line("sift batch: a batch of URLs, fetched one by one and stored", "bold")
    screen.line()
    stage = set_stage(screen, database, site, cleanup)

    api = Api(stage.port, stage.token)
    job = _submit(screen, api, targets_of(urls) if urls else local_targets(site))
    job = _watch(screen, api, job, stage)
    codes = _show(screen, api, job, site)
    as_meant = bool(site) and codes == LOCAL_FAILURES
    _say_goodbye(screen, stage, job, time.monotonic() - started, as_meant=as_meant)
    if site and not as_meant:
        raise DemoFailed(f"other targets failed than are meant to; more in {WORKER_LOG}")


def _local_site(cleanup: ExitStack) -> str:
    site = LocalSite()
    cleanup.callback(site.close)
    return site.url


def _submit(screen: Screen, api: Api, targets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Submit the same twice: the second time the first job is the answer."""
    screen.line()
    screen.line(f"POST /api/jobs/ with {len(targets)} targets, as the user {CALLER}", "bold")
    first = api.submit(targets)
    again = api.submit(targets)
    for reply, note in ((first, ""), (again, "   no second job")):
        body = reply.body
        reused = "true" if body["reused"] else "false"
        screen.line(f"{reply.status}  job {body['id']}  reused: {reused}{note}", indent=2)
    return first.body


def _watch(screen: Screen, api: Api, job: dict[str, Any], stage: Stage) -> dict[str, Any]:
    screen.line()
    screen.line("GET /api/jobs/{id}/ until it has ended", "bold")
    while True:
        job = api.follow(job["links"]["self"])
        done, total, failed = job["targets_done"], job["targets_total"], job["targets_failed"]
        words = f"{job['status']}  {done} of {total}, {failed} failed"
        screen.progress(done, total, words)
        if job["status"] not in LIVE:
            break
        stage.web.check()
        stage.worker.check()
        time.sleep(LOOK_SECONDS)
    screen.end_progress()
    return job


def _show(screen: Screen, api: Api, job: dict[str, Any], site: str) -> Counter[str]:
    """All targets in order; how many failed, by code."""
    codes: Counter[str] = Counter()
    screen.line()
    screen.line("GET /api/jobs/{id}/targets/", "bold")
    show_head(screen)
    for target in api.targets(job["links"]["targets"]):
        show_target(screen, target, site)
        if target["code"]:
            codes[target["code"]] += 1
    return codes


def _say_goodbye(
    screen: Screen, stage: Stage, job: dict[str, Any], seconds: float, *, as_meant: bool
) -> None:
    done = job["targets_done"] - job["targets_failed"]
    meant = " as they are meant to" if as_meant else ""
    screen.line()
    screen.line(
        f"The job ended as {job['status']}: {done} done, {job['targets_failed']} failed{meant},"
        f" in {seconds:.0f} seconds.",
        "bold",
    )
    url = shlex.quote(f"sqlite:///{stage.database}")
    screen.line()
    screen.line("Look at it in the admin:")
    screen.whole(f"    DATABASE_URL={url} make run")
    screen.whole(f"    http://127.0.0.1:{PORT}/admin/   {USERNAME}   {stage.staff_password}")
    screen.line("Fetch pages of your own:")
    screen.whole('    make demo URLS="https://example.com/ https://example.org/"')
