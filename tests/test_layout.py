"""The shape of the tree: who may import whom, and how large a file may grow."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.processes import ROOT

PACKAGES = {"batch", "sift_batch", "tests", "bench"}
# The rooms of `batch` that may know HTTP.
DOORS = ("batch/api/", "batch/admin/", "batch/testing", "batch/metrics/view")
HTTP = ("django.http", "django.shortcuts", "django.urls", "django.views", "rest_framework")


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path.relative_to(ROOT) for path in sorted((ROOT / folder).rglob("*.py")))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # `from django import http` names a module as well as `from django.http import ...`.
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_import_contracts_hold() -> None:
    # In a process of its own: it turns off every logger that it finds.
    code = (
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_only_the_doors_of_the_app_know_http() -> None:
    found = [
        f"{path} imports {name}"
        for path in sources("batch")
        if not path.as_posix().startswith(DOORS)
        for name in imports(path)
        if name.startswith(HTTP)
    ]
    assert found == []


def test_the_fetch_knows_of_the_app_only_its_types_and_errors() -> None:
    allowed = ("batch.types", "batch.errors")
    found = [
        f"{path} imports {name}"
        for path in sources("sift_batch/fetch")
        for name in imports(path)
        if (name == "batch" or name.startswith("batch.")) and not name.startswith(allowed)
    ]
    assert found == []


def test_the_tree_has_no_packages_but_the_known_ones() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages <= PACKAGES


def test_no_file_is_longer_than_300_lines() -> None:
    lengths = {
        str(path): len((ROOT / path).read_text().splitlines()) for path in sources(*PACKAGES)
    }
    assert {path: length for path, length in lengths.items() if length > 300} == {}


def test_no_file_is_a_drawer_for_odds_and_ends() -> None:
    drawers = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert [path for path in sources(*PACKAGES) if path.stem in drawers] == []


def test_both_packages_say_that_they_are_typed() -> None:
    assert (ROOT / "batch/py.typed").exists()
    assert (ROOT / "sift_batch/py.typed").exists()


def test_importing_the_project_package_imports_nothing() -> None:
    assert list(imports(Path("sift_batch/__init__.py"))) == []
