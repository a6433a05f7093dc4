"""schemathesis finds nothing: the API does what its own document says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batch.api.pages import JOBS, TARGETS
from tests.client.conftest import UNCAPPED, Server

pytestmark = [
    pytest.mark.client,
    pytest.mark.only_on("postgres"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]

CONFIG = Path(__file__).with_name("schemathesis.toml")
SHIPPED = {**UNCAPPED, "VALIDATE": "sift_batch.wiring.validate"}


def callers(server: Server) -> dict[str, Any]:
    """As Web Fuzzing Commons write down who may call."""
    return {
        "auth": [
            {
                "name": name,
                "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {token}"}],
            }
            for name, token in server.tokens.items()
        ]
    }


def assert_finds_nothing(server: Server, folder: Path, *options: str) -> None:
    known = folder / "callers.json"
    known.write_text(json.dumps(callers(server)))
    argv = ["-m", "schemathesis.cli", "--config-file", str(CONFIG), "--no-color", "run"]
    done = subprocess.run(
        [sys.executable, *argv, str(server.document), "--url", server.url, *options],
        cwd=folder,
        env={
            **os.environ,
            "CALLERS_FILE": str(known),
            "JOBS_CURSOR": JOBS.signer().sign_object(
                [False, "2100-01-01T00:00:00+00:00", str(uuid.UUID(int=0))]
            ),
            "TARGETS_CURSOR": TARGETS.signer().sign_object([False, -1]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_no_check_of_any_call_finds_a_fault(server: Server, tmp_path: Path) -> None:
    assert_finds_nothing(server, tmp_path, "--checks=all")


def test_a_submission_that_the_shipped_fetch_judges_meets_no_fault_either(
    serve: Callable[[dict[str, Any]], Server], tmp_path: Path
) -> None:
    # No worker: nothing is fetched. A document cannot say which patterns and programs are right.
    assert_finds_nothing(
        serve(SHIPPED),
        tmp_path,
        "--checks=all",
        "--exclude-checks=positive_data_acceptance",
        "--include-operation-id=submit_job",
        "--phases=coverage,fuzzing",
    )
