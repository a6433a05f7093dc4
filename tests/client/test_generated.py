"""A client that openapi-python-client makes of the document, used from submit to results."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Server

pytestmark = [
    pytest.mark.client,
    pytest.mark.only_on("postgres"),
    pytest.mark.django_db(transaction=True),
]

CONFIG = Path(__file__).with_name("openapi-python-client.yml")
PACKAGE = "sift_client"
HERE, GONE = "https://example.com/", "https://example.com/gone"


@dataclass(frozen=True)
class Made:
    """What was generated: a client for one caller, and the types of what goes in and out."""

    client: Any
    models: Any

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the call of this name is answered, decoded."""
        function = importlib.import_module(f"{PACKAGE}.api.jobs.{name}").sync
        return function(*args, client=self.client, **kwargs)


@pytest.fixture
def made(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    generate(server.document, tmp_path / PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module(PACKAGE)
    with package.AuthenticatedClient(server.url, server.tokens["ann"]) as client:
        yield Made(client, importlib.import_module(f"{PACKAGE}.models"))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_it_takes_a_job_from_submit_to_results(made: Made) -> None:
    models = made.models
    gone = models.NewTarget(GONE, options=models.NewOptions(recover=True, context=True))
    submission = models.Submission([HERE, gone])
    job = made.call("submit_job", body=submission)
    assert isinstance(job, models.SubmittedJob)
    assert (job.reused, job.targets_total) == (False, 2)
    assert made.call("submit_job", body=submission).reused is True

    while job.status in ("queued", "running"):
        job = made.call("get_job", job.id, wait=20)
        assert isinstance(job, models.Job)
    assert job.status == models.JobStatus.PARTIAL
    assert job.finished_at > job.created_at

    page = made.call("list_targets", job.id)
    assert isinstance(page, models.TargetPage)
    done, failed = page.results
    assert done.result.content == f"what is at {HERE}"
    assert (failed.status, failed.code) == (models.TargetStatus.FAILED, "not_found")

    rows = [json.loads(line) for line in made.call("results_jsonl", job.id).splitlines()]
    assert [row["url"] for row in rows] == [HERE, GONE]
    assert GONE in made.call("results_csv", job.id)
    with zipfile.ZipFile(made.call("results_zip", job.id).payload) as archive:
        assert "index.csv" in archive.namelist()


def test_a_refusal_is_a_problem_with_its_parts(made: Made) -> None:
    problem = made.call("submit_job", body=made.models.Submission([HERE, " "]))
    assert isinstance(problem, made.models.Problem)
    assert (problem.status, problem.code) == (400, "invalid_targets")
    assert [(one.index, one.code) for one in problem.errors] == [(1, "missing_url")]
    problem = made.call("get_job", uuid.uuid4())
    assert isinstance(problem, made.models.Problem)
    assert (problem.status, problem.code) == (404, "not_found")


def generate(document: Path, folder: Path) -> None:
    """A warning, about a part that it cannot make anything of, would fail it."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it runs ruff
    argv = ["-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta=none"]
    argv += [f"--path={document}", f"--output-path={folder}"]
    done = subprocess.run(
        [sys.executable, *argv, f"--config={CONFIG}"],
        env={**os.environ, "PATH": tools},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
