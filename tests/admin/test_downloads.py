"""The export actions: files of the selected jobs, for who may see them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client

from batch.admin import downloads
from batch.models import BatchJob, JobStatus

from .conftest import listed, make_job

HOSTILE = "=cmd|' /C calc'!A1"


def export(client: Client, form: str, *jobs: BatchJob) -> Any:
    data = {"action": f"export_{form}", "_selected_action": [job.pk for job in jobs], "index": 0}
    return client.post(listed(), data)


def two_jobs() -> list[BatchJob]:
    return [make_job(targets=2, done=2, failed=1, status=JobStatus.PARTIAL) for _ in range(2)]


def test_jobs_are_exported_as_json_lines(root: Client) -> None:
    jobs = two_jobs()
    answer = export(root, "jsonl", *jobs)
    assert answer["Content-Type"] == "application/jsonl"
    assert answer["Content-Disposition"] == 'attachment; filename="2-jobs.jsonl"'
    rows = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert {row["job"] for row in rows} == {str(job.pk) for job in jobs}
    assert len(rows) == 4


def test_a_job_is_exported_as_csv_that_no_spreadsheet_runs(root: Client) -> None:
    (job, _) = two_jobs()
    job.targets.filter(idx=0).update(url=HOSTILE)
    answer = export(root, "csv", job)
    assert answer["Content-Disposition"] == f'attachment; filename="{job.pk}.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
    assert len(rows) == 2
    assert rows[0]["url"] == f"'{HOSTILE}"


def test_jobs_are_exported_as_a_zip(root: Client) -> None:
    answer = export(root, "zip", *two_jobs())
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as file:
        assert file.testzip() is None
        assert any(name.endswith("index.csv") for name in file.namelist())


def test_who_may_not_see_jobs_exports_none(staff: Any) -> None:
    job, client = make_job(), staff()
    for form in ("jsonl", "csv", "zip"):
        assert export(client, form, job).status_code in (302, 403)


def test_who_may_only_look_may_export(staff: Any) -> None:
    answer = export(staff("view_batchjob"), "jsonl", *two_jobs())
    assert len(answer.getvalue().splitlines()) == 4


def test_too_many_jobs_are_not_begun(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "MOST_AT_ONCE", 1)
    answer = export(root, "zip", *two_jobs())
    assert answer.status_code == 302
    said = [str(message) for message in root.get(listed()).context["messages"]]
    assert said[0].startswith("Nothing was exported: over 1 jobs are selected")
