"""Host projects that are set up otherwise: a second database, local times, ATOMIC_REQUESTS."""

from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from tests.connection import connection
from tests.databases import ALIAS
from tests.processes import Processes
from tests.rules.jobs import targets

SETTINGS = """
from tests.settings import *
FOLDER = {folder!r}
# The app alone: a project without accounts, an admin or an API.
INSTALLED_APPS = ["batch"]
ROOT_URLCONF = "host"
USE_TZ = True
DATABASE_ROUTERS = []
urlpatterns = []
DATABASES = {{
    "default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER + "/default.sqlite3"}},
    "jobs": {{"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER + "/jobs.sqlite3"}},
}}
BATCH = {{"FETCH": "tests.fetches.record", "ISOLATION": "thread"}}
"""

ROUTER = """
DATABASE_ROUTERS = ["host.Router"]
class Router:
    def db_for_read(self, model, **hints):
        return "jobs" if model._meta.app_label == "batch" else None
    db_for_write = db_for_read
    def allow_migrate(self, db, app_label, **hints):
        return (db == "jobs") == (app_label == "batch")
"""

REPLICA = """
DATABASE_ROUTERS = ["host.Router"]
class Router:
    # Reads go to a copy that has nothing yet.
    def db_for_read(self, model, **hints):
        return "default"
    def db_for_write(self, model, **hints):
        return "jobs" if model._meta.app_label == "batch" else None
    def allow_migrate(self, db, app_label, **hints):
        return True
"""

LOCAL_TIMES = """
USE_TZ = False
TIME_ZONE = "Pacific/Auckland"
"""

TRIAL = """
import django, sys
django.setup()
from datetime import timedelta
from django.core.management import call_command
from django.utils import timezone
from batch import database
from batch.errors import CallerBusyError, JobLiveError
from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from batch.testing import FakeFetch
from batch.types import Config, Target

using = sys.argv[1]
for alias in sys.argv[2:]:
    call_command("migrate", database=alias, verbosity=0)
assert database.alias() == using
jobs, rows = BatchJob.objects.using(using), BatchTarget.objects.using(using)
runner = Runner(FakeFetch(fail=["u2"]), Config(jobs_per_caller=1, ttl=3600))
first = runner.submit("ann", "", [Target("u1"), Target("u2")]).id
assert runner.submit("ann", "", [Target("u1"), Target("u2")]).reused
try:
    runner.submit("ann", "", [Target("u3")])
    raise SystemExit("not busy")
except CallerBusyError:
    pass
now = database.now(using)
job = jobs.get()
assert abs(job.created_at - now) < timedelta(seconds=30), (job.created_at, now)
assert abs(job.created_at - timezone.now()) < timedelta(seconds=30)
assert runner.drain(first)
job, found = runner.status(first)
assert job.status == "partial", job
assert [one.status for one in found] == ["done", "failed"]
assert timedelta(minutes=59) < job.lease_expires_at - job.finished_at <= timedelta(hours=1)
assert job.started_at <= job.finished_at
again = runner.retry(first).id
assert runner.cancel(again)
assert runner.mark_in_flight_failed("restart") == 0
assert runner.mark_in_flight_failed("restart", now=timezone.now()) == 0
third = runner.submit("ann", "", [Target("u4")]).id
assert BatchJob.objects.using(using).filter(id=third, claim=0).update(
    claim=1, worker="w", claim_expires_at=database.now(using) - timedelta(minutes=1)) == 1
assert runner.mark_in_flight_failed("restart") == 1
assert runner.purge(dry_run=True) == 0
jobs.update(lease_expires_at=database.now(using) - timedelta(seconds=1),
            finished_at=database.now(using) - timedelta(seconds=1))
assert runner.purge() == 3
assert not rows.exists()
fourth = runner.submit("ann", "", [Target("u5")]).id
runner.cancel(fourth)
runner.delete(fourth)
assert len(runner.latest(5)) == 0
print("well")
"""


@pytest.mark.parametrize(
    ("changes", "using"),
    [(ROUTER, "jobs"), (REPLICA, "jobs"), (LOCAL_TIMES, "default")],
    ids=["router", "replica", "local times"],
)
def test_every_move_works_in_a_project_of_another_kind(
    db: None, processes: Processes, tmp_path: Path, changes: str, using: str
) -> None:
    (tmp_path / "host.py").write_text(SETTINGS.format(folder=str(tmp_path)) + changes)
    env = {"DJANGO_SETTINGS_MODULE": "host", "PYTHONPATH": f"{tmp_path}:."}
    aliases = ["default", "jobs"] if using == "jobs" else ["default"]
    trial = processes.python("-c", TRIAL, using, *aliases, env=env)
    assert trial.wait() == 0, trial.err
    assert trial.out.endswith("well\n")
    # And a whole worker.
    urls = ["https://e.com/a", "https://e.com/b"]
    submit = processes.manage("batch_submit", *urls, env=env)
    assert submit.wait() == 0, submit.err
    worker = processes.manage("batch_worker", "--exit-when-idle", env=env)
    assert worker.wait() == 0, worker.err
    shown = processes.manage("batch_status", submit.out.strip(), env=env)
    assert shown.wait() == 0
    assert " done 2/2 finished, 0 failed" in shown.out


RECEIPTS = """
from django.db import models

class JobReceipt(models.Model):
    job = models.ForeignKey("batch.BatchJob", models.PROTECT)

class TargetReceipt(models.Model):
    target = models.ForeignKey("batch.BatchTarget", models.RESTRICT, related_name="+")
"""

KEPT = """
import django
django.setup()
from django.core.management import call_command
from django.db.models import ProtectedError
from batch.models import BatchJob, BatchTarget
from batch.runner import Runner
from batch.types import Config, Target
from receipts.models import JobReceipt, TargetReceipt

call_command("migrate", run_syncdb=True, verbosity=0)
runner = Runner(config=Config(targets_per_job=2500, jobs_per_caller=3))
ids = [runner.submit("ann", "", [Target(f"{n}-{i}") for i in range(2500)]).id for n in range(3)]
for job_id in ids:
    assert runner.cancel(job_id)
JobReceipt.objects.create(job_id=ids[0])
TargetReceipt.objects.create(target=BatchTarget.objects.get(job_id=ids[1], idx=1200))
for job_id in ids[:2]:
    try:
        runner.delete(job_id)
        raise SystemExit("deleted")
    except ProtectedError as error:
        assert "Receipt" in str(error), error
BatchJob.objects.update(lease_expires_at="2020-01-01T00:00Z", finished_at="2020-01-01T00:00Z")
assert runner.purge() == 1
left = [BatchTarget.objects.filter(job_id=job_id).count() for job_id in ids]
assert left == [2500, 2500, 0], left
print("well")
"""


@pytest.mark.only_on("sqlite")
def test_a_large_job_that_the_host_protects_keeps_all_of_its_targets(
    db: None, processes: Processes, tmp_path: Path
) -> None:
    changes = 'INSTALLED_APPS += ["receipts"]'
    (tmp_path / "host.py").write_text(SETTINGS.format(folder=str(tmp_path)) + changes)
    (tmp_path / "receipts").mkdir()
    (tmp_path / "receipts" / "__init__.py").touch()
    (tmp_path / "receipts" / "models.py").write_text(RECEIPTS)
    env = {"DJANGO_SETTINGS_MODULE": "host", "PYTHONPATH": f"{tmp_path}:."}
    trial = processes.python("-c", KEPT, env=env)
    assert trial.wait() == 0, trial.err
    assert trial.out.endswith("well\n")


@pytest.mark.only_on("postgres", "mariadb")
@pytest.mark.django_db(transaction=True)
def test_local_times_are_right_on_this_database_too(processes: Processes, tmp_path: Path) -> None:
    code = "from tests.settings import *\nBATCH = {}\n" + LOCAL_TIMES
    (tmp_path / "host.py").write_text(code)
    env = {"DJANGO_SETTINGS_MODULE": "host", "PYTHONPATH": f"{tmp_path}:."}
    trial = processes.python("-c", TRIAL, ALIAS, env=env)
    assert trial.wait() == 0, trial.err
    assert trial.out.endswith("well\n")


def fails_late(request: HttpRequest) -> HttpResponse:
    """A host's own view, which fails after it submitted."""
    Runner().submit("ann", "", targets(3))
    raise ZeroDivisionError


def succeeds(request: HttpRequest) -> HttpResponse:
    assert connection.in_atomic_block
    return HttpResponse(Runner().submit("ann", "", targets(3)).id)


urlpatterns = [path("fails", fails_late), path("succeeds", succeeds)]
announced: list[str] = []


def announce(job_id: str) -> None:
    """What DISPATCH names here."""
    announced.append(job_id)


@pytest.mark.django_db(transaction=True)
@pytest.mark.urls(__name__)
def test_with_atomic_requests_a_job_comes_to_be_with_its_request(
    settings: Any, monkeypatch: Any
) -> None:
    settings.BATCH = {"DISPATCH": f"{__name__}.announce"}
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    announced.clear()
    client = Client(raise_request_exception=False)
    assert client.get("/fails").status_code == 500
    assert (BatchJob.objects.count(), BatchTarget.objects.count()) == (0, 0)
    assert not announced
    response = client.get("/succeeds")
    assert response.status_code == 200
    assert announced == [response.content.decode()]
    assert BatchJob.objects.get().status == "running"
