"""batch_submit --drain, --wait and --output; and Ctrl-C."""

import csv
import json
import os
import signal
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from batch.errors import FetchError
from batch.models import BatchJob
from batch.runner import Runner
from batch.types import FetchContext, Result, Target
from tests.concurrency import eventually
from tests.faults.workers import Records
from tests.processes import Processes
from tests.rules.jobs import row, states
from tests.unit.commands import refused, run

pytestmark = pytest.mark.django_db(transaction=True)


def fetch(context: FetchContext, target: Target) -> Result:
    """What FETCH names here."""
    if "bad" in target.url:
        raise FetchError("404", "look elsewhere", code="http_404")
    return Result("é" * 10, {"n": context.idx})


def first_job() -> str:
    return str(BatchJob.objects.values_list("id", flat=True).first() or "")


@pytest.fixture(autouse=True)
def batch(settings: Any) -> None:
    settings.BATCH = {"FETCH": f"{__name__}.fetch", "ISOLATION": "thread"}


@pytest.mark.parametrize(
    ("urls", "code", "status"),
    [
        (["https://e.com/a", "https://e.com/b"], 0, "done"),
        (["https://e.com/a", "https://bad/"], 0, "partial"),
        (["https://bad/", "https://bad/2"], 1, "failed"),
    ],
)
def test_a_job_is_drained_here(urls: list[str], code: int, status: str) -> None:
    before = threading.active_count()
    done = run("batch_submit", *urls, "--drain")
    assert done.code == code, done.err
    assert BatchJob.objects.get().status == status
    assert status in done.err
    for url in urls:
        assert url in done.out
    assert threading.active_count() <= before


def test_results_are_written_one_a_line(tmp_path: Path) -> None:
    place = tmp_path / "results.jsonl"
    urls = ["https://e.com/a", "https://bad/"]
    done = run("batch_submit", *urls, "--drain", "--output", str(place))
    assert done.code == 0
    first, second = [json.loads(line) for line in place.read_text().splitlines()]
    assert set(first) == {
        *("job", "idx", "url", "status", "content", "error", "hint", "code", "options", "meta"),
        *("details", "started_at", "finished_at"),
    }
    assert (first["status"], first["content"], first["meta"]) == ("done", "é" * 10, {"n": 0})
    assert (second["status"], second["content"], second["code"]) == ("failed", None, "http_404")
    assert second["hint"] == "look elsewhere"


def test_results_are_written_as_csv(tmp_path: Path) -> None:
    place = tmp_path / "results.csv"
    done = run("batch_submit", "https://e.com/a", "https://bad/", "--drain", "--output", str(place))
    assert done.code == 0, done.err
    assert str(place) in done.err
    with place.open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["status"], first["content"]) == ("done", "é" * 10)
    assert (second["status"], second["content"], second["code"]) == ("failed", "", "http_404")


def test_results_are_written_as_a_zip(tmp_path: Path) -> None:
    place = tmp_path / "results.zip"
    done = run("batch_submit", "https://e.com/a", "https://bad/", "--drain", "--output", str(place))
    assert done.code == 0, done.err
    with zipfile.ZipFile(place) as opened:
        assert opened.testzip() is None
        assert opened.namelist() == ["000000-e.com-a.md", "index.csv"]
        assert opened.read("000000-e.com-a.md").decode().endswith("---\n" + "é" * 10)


@pytest.mark.parametrize("name", ["results.xml", "results", "results.CSV", "results.jsonl.gz"])
def test_a_name_without_a_known_ending_is_refused(tmp_path: Path, name: str) -> None:
    line = refused("batch_submit", "https://e.com/", "--output", str(tmp_path / name), code=1)
    assert line.endswith("give a name that ends in .jsonl, .csv, .zip")
    assert not BatchJob.objects.exists()


def test_a_script_reads_json_of_what_became_of_the_job(tmp_path: Path) -> None:
    args = ["https://e.com/a", "https://bad/", "--drain", "--json", "--caller", "me"]
    done = run("batch_submit", *args, "--output", str(tmp_path / "results.jsonl"))
    assert done.code == 0, done.err
    shown = json.loads(done.out)
    assert shown["reused"] is False
    assert shown["job"]["id"] == first_job()
    assert (shown["job"]["status"], shown["job"]["targets_failed"]) == ("partial", 1)
    again = json.loads(run("batch_submit", *args).out)
    assert (again["reused"], again["job"]["id"]) == (True, first_job())


def test_a_script_reads_json_of_a_job_that_nobody_waits_for() -> None:
    shown = json.loads(run("batch_submit", "https://e.com/a", "--json").out)
    assert (shown["job"]["id"], shown["job"]["status"]) == (first_job(), "running")
    assert shown["job"]["targets_total"] == 1


def test_a_place_for_the_results_that_is_none_is_refused_before_anything_is_fetched(
    tmp_path: Path,
) -> None:
    place = str(tmp_path / "nowhere" / "results.jsonl")
    done = run("batch_submit", "https://e.com/", "--output", place, "--drain")
    assert done.code == 1
    assert "nowhere" in done.err
    assert not BatchJob.objects.exists()


def test_a_job_that_ended_before_is_shown_again() -> None:
    args = ["https://e.com/a", "--caller", "me", "--drain"]
    first, again = run("batch_submit", *args), run("batch_submit", *args)
    assert (first.code, again.code) == (0, 0)
    assert BatchJob.objects.count() == 1
    assert "https://e.com/a" in again.out


def test_without_a_fetch_it_says_so_and_does_not_wait_for_ever(processes: Processes) -> None:
    process = processes.manage("batch_submit", "https://e.com/", "--drain")
    assert process.wait(30) == 1
    (line,) = process.err.splitlines()
    assert "FETCH" in line


def test_a_wait_ends_with_the_job() -> None:
    waited: list[Any] = []

    def drain() -> None:
        job_id = eventually(first_job)
        waited.append(Runner(fetch).drain(job_id))
        connections.close_all()

    thread = threading.Thread(target=drain)
    thread.start()
    done = run("batch_submit", "https://e.com/a", "https://bad/", "--wait")
    thread.join()
    assert waited == [True]
    assert done.code == 0
    assert "partial 2/2" in done.err


def test_a_job_that_is_removed_while_it_is_waited_for_ends_the_wait() -> None:
    def remove() -> None:
        job_id = eventually(first_job)
        Runner().cancel(job_id)
        time.sleep(0.05)
        BatchJob.objects.all().delete()
        connections.close_all()

    thread = threading.Thread(target=remove)
    thread.start()
    done = run("batch_submit", "https://e.com/a", "--wait")
    thread.join()
    assert done.code in (0, 1)
    assert "Traceback" not in done.err


@pytest.mark.parametrize("way", ["--drain", "--wait"])
def test_a_ctrl_c_asks_the_job_to_cancel(processes: Processes, tmp_path: Path, way: str) -> None:
    records = Records(tmp_path)
    process = processes.manage(
        "batch_submit",
        *[f"https://e.com/{i}" for i in range(4)],
        "--option",
        f"question={records.path}",
        "--option",
        "pages=0.7",
        way,
        batch={"FETCH": "tests.fetches.record", "CHILD_DJANGO": False},
    )
    job_id = eventually(lambda: process.out.split()[0] if process.out else "", 30)
    if way == "--drain":
        eventually(records.lines, 30)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 0, process.err
    assert "Traceback" not in process.err
    assert row(job_id).status == "cancelled"
    expected = ["done", "pending"] if way == "--drain" else ["pending", "pending"]
    assert states(job_id)[:2] == expected
    kept = expected.count("done")
    assert f"kept: the outcomes of {kept} of " in process.err


def test_tables_that_are_missing_are_told_of_in_one_line(
    processes: Processes, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}"}
    env["DJANGO_SETTINGS_MODULE"] = "sift_batch.settings"
    for args in (["batch_status"], ["batch_submit", "https://e.com/"], ["batch_purge"]):
        process = processes.manage(*args, env=env)
        assert process.wait(30) == 1, args
        (line,) = process.err.splitlines()
        assert "migrate" in line


def test_a_drain_in_a_thread_is_waited_for(processes: Processes) -> None:
    batch = {"DISPATCH": "thread", "FETCH": "tests.rules.jobs.content", "ISOLATION": "thread"}
    process = processes.manage("batch_submit", "https://e.com/", batch=batch)
    assert process.wait(60) == 0, process.err
    assert BatchJob.objects.get().status == "done"


def test_who_drains_waits_for_no_worker() -> None:
    done = run("batch_submit", "https://e.com/a", "--drain")
    assert "waiting" not in done.err
    again = run("batch_submit", "https://e.com/a", "--drain")
    assert "submitted before" in again.out
    assert again.code == 0
    assert "not_drained" not in again.err
