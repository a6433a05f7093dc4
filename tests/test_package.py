"""The built wheel works in a fresh project of somebody else's."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.processes import ROOT

pytestmark = pytest.mark.timeout(300)

BUILT_FROM = ["setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"]

URLS = """
from django.contrib import admin
from django.urls import include, path
urlpatterns = [path("admin/", admin.site.urls), path("jobs-api/", include("batch.api.urls"))]
"""

VISIT = """
import sys, django
django.setup()
import batch
assert batch.__file__.startswith(sys.prefix), batch.__file__
from django.contrib.auth.models import User
from django.test import Client
client = Client(headers={"host": "localhost"})
assert client.get("/jobs-api/jobs/").status_code in (401, 403)
client.force_login(User.objects.create_superuser("ann"))
submission = {"targets": ["https://example.com/"]}
created = client.post("/jobs-api/jobs/", submission, content_type="application/json")
assert created.status_code == 202, created.content
shown = client.get(created.headers["Location"])
assert shown.json()["targets_total"] == 1, shown.content
assert client.get("/admin/batch/batchjob/").status_code == 200
assert "celery" not in sys.modules  # an extra
"""


def run(*argv: str | Path, cwd: Path, settings: str = "") -> str:
    keep = {"PATH", "HOME", "LANG", "TMPDIR"}
    env = {name: value for name, value in os.environ.items() if name in keep}
    if settings:
        env["DJANGO_SETTINGS_MODULE"] = settings
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that no leftovers of a build stay in the tree."""
    tree = tmp_path_factory.mktemp("tree")
    for package in ("batch", "sift_batch"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tree / package, ignore=ignore)
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, tree / name)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=tree)
    (built,) = (tree / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install"),
        *("--no-deps", "--no-index", "--disable-pip-version-check", wheel),
        cwd=folder,
    )
    # What the wheel needs is lent by this environment, so the test downloads nothing.
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_holds_all_of_both_packages_and_nothing_else(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in ("batch", "sift_batch")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == expected


@pytest.mark.parametrize(
    "apps",
    [["batch"], pytest.param(["rest_framework", "batch"], marks=pytest.mark.long)],
    ids=" ".join,
)
def test_the_wheel_works_in_a_fresh_project(python: Path, tmp_path: Path, apps: list[str]) -> None:
    run(python, "-m", "django", "startproject", "shop", tmp_path, cwd=tmp_path)
    with (tmp_path / "shop" / "settings.py").open("a") as settings:
        settings.write(f"\nINSTALLED_APPS += {apps}\n")
        # Django's own SQLite options draw a warning of ours, and nothing else does.
        settings.write('SILENCED_SYSTEM_CHECKS = ["batch.W001"]\n')
    (tmp_path / "shop" / "urls.py").write_text(URLS)

    run(python, "manage.py", "migrate", cwd=tmp_path)
    run(python, "manage.py", "check", "--fail-level", "WARNING", cwd=tmp_path)
    run(python, "manage.py", "makemigrations", "--check", "--dry-run", cwd=tmp_path)
    run(python, "-c", VISIT, cwd=tmp_path, settings="shop.settings")
