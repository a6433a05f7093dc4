"""Projects of other people: their own users, times, databases and request transactions."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from batch.models import BatchJob, JobStatus
from tests.processes import ROOT

from .conftest import keys, listed, make_job, page_of, shown

SETTINGS = """
from pathlib import Path
SECRET_KEY = "only-for-tests"
HERE = Path(__file__).parent
DATABASES = {
    alias: {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": HERE / f"{alias}.sqlite3",
        "ATOMIC_REQUESTS": True,
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
    }
    for alias in ("default", "jobs")
}
DATABASE_ROUTERS = ["shop.Router"]
INSTALLED_APPS = ["shop", "django.contrib.admin", "django.contrib.auth",
    "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", "batch"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": ["django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}]
AUTH_USER_MODEL = "shop.Customer"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "shop.urls"
STATIC_URL = "static/"
USE_TZ = %s
SILENCED_SYSTEM_CHECKS = ["batch.W002"]
TIME_ZONE = "Asia/Kolkata"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
"""

SHOP = """
class Router:
    def db_for_read(self, model, **hints):
        return "jobs" if model._meta.app_label == "batch" else None

    db_for_write = db_for_read

    def allow_migrate(self, db, app_label, **hints):
        return (db == "jobs") == (app_label == "batch")
"""

MODELS = """
import uuid
from django.contrib.auth.models import AbstractUser
from django.db import models


class Customer(AbstractUser):
    username = None
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    number = models.CharField(max_length=20, unique=True)
    USERNAME_FIELD = "number"
    REQUIRED_FIELDS = []
"""

URLS = """
from django.contrib import admin
from django.urls import path
from batch.admin import JobAdmin, TargetAdmin
from batch.models import BatchJob, BatchTarget

office = admin.AdminSite("office")
office.register(BatchJob, JobAdmin)
office.register(BatchTarget, TargetAdmin)
urlpatterns = [path("admin/", admin.site.urls), path("office/", office.urls)]
"""

VISIT = """
import django
django.setup()
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connections
from django.test import Client

for alias in ("default", "jobs"):
    call_command("migrate", database=alias, run_syncdb=True, verbosity=0)
call_command("check", fail_level="WARNING")

from batch.admin import adding, deeds
from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Result, Target

in_transaction = []

class Watched(Runner):
    def cancel(self, job_id):
        in_transaction.append(connections["jobs"].in_atomic_block)
        return super().cancel(job_id)

    def submit(self, *args):
        in_transaction.append(connections["jobs"].in_atomic_block)
        return super().submit(*args)

deeds.Runner = adding.Runner = Watched
user = get_user_model().objects.create(number="1", is_staff=True, is_superuser=True)
client = Client()
client.force_login(user)
runner = Runner(lambda context, target: Result("text", {}))
done = runner.submit("a", "staff", [Target("http://a/")]).id
assert runner.drain(done)
live = runner.submit("b", "staff", [Target("http://b/")]).id
for site in ("admin", "office"):
    for query in ("", "?created=today", "?q=http://a/", "?q=" + done):
        page = client.get(f"/{site}/batch/batchjob/{query}")
        assert page.status_code == 200
        assert f"/{site}/batch/batchjob/{done}/change/" in page.content.decode(), (site, query)
    page = client.get(f"/{site}/batch/batchjob/{done}/change/").content.decode()
    assert f"/{site}/batch/batchtarget/1/change/" in page
    page = client.get(f"/{site}/batch/batchjob/").content.decode()
    assert f'data-address="/{site}/batch/batchjob/live/"' in page
    assert "of 1 target of the 1 job started last" in page
    assert client.get(f"/{site}/batch/batchtarget/1/change/").status_code == 200
path = "/office/batch/batchjob/"
form = {"action": "cancel_jobs", "_selected_action": live}
assert "/office/batch/" in client.post(path, {**form, "index": 0}).content.decode()
answer = client.post(path, {**form, "post": "yes"}, follow=True)
assert "Cancelled 1 job" in answer.content.decode()
assert BatchJob.objects.get(pk=live).status == "cancelled"
assert client.get(path + "live/", {"jobs": live}).json()["jobs"][live]["status"] == "cancelled"
added = client.post(path + "add/", {"urls": "http://c/"}, follow=True)
job = BatchJob.objects.get(caller=f"user:{user.pk}")
assert added.redirect_chain[0][0] == f"/office/batch/batchjob/{job.pk}/change/"
assert "Submitted 1 target as job" in added.content.decode()
assert Watched().cancel(str(job.pk))
assert in_transaction == [False] * 3
assert not BatchJob.objects.using("jobs").filter(status="running").exists()
print("visited")
"""


@pytest.mark.parametrize("use_tz", [True, False])
def test_the_admin_works_with_the_hosts_users_databases_sites_and_times(
    tmp_path: Path, use_tz: bool
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "__init__.py").write_text(SHOP)
    (shop / "models.py").write_text(MODELS)
    (shop / "urls.py").write_text(URLS)
    (tmp_path / "host_settings.py").write_text(SETTINGS % use_tz)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "DJANGO_SETTINGS_MODULE": "host_settings",
    }
    command = [sys.executable, "-W", "error", "-c", VISIT]
    visit = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert visit.stdout.endswith("visited\n"), visit.stderr


def test_the_pages_work_with_naive_times(root: Client, settings: Any) -> None:
    with override_settings(USE_TZ=False, TIME_ZONE="Asia/Kolkata"):
        job = make_job(targets=2, done=2, status=JobStatus.DONE, started_at=timezone.now())
        assert keys(root, created="today") == [job.pk]
        page = shown(root, listed())
        assert f"{job.created_at:%Y-%m-%d %H:%M:%S}" in page
        assert "59 min" in page or "1 h 0 min" in page
        assert shown(root, page_of(job)).count("batch-done") >= 3


@pytest.mark.not_with("local-times")
@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/New_York"])
def test_a_day_is_that_of_the_visitors_time_zone(root: Client, zone: str) -> None:
    with timezone.override(zone):
        midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    before = make_job(created_at=midnight - timedelta(seconds=1))
    after = make_job(created_at=midnight)
    with override_settings(TIME_ZONE=zone):
        assert keys(root, created="today") == [after.pk]
        assert keys(root, created="yesterday") == [before.pk]
    assert BatchJob.objects.count() == 2
