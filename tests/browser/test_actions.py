"""Cancel, retry and export, as they are clicked."""

import csv
import io
import json
import zipfile

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import JOBS, fact, page_of, row
from tests.browser.stand import Stand


def choose(page: Page, action: str, *jobs: str) -> None:
    page.goto(JOBS)
    for job in jobs:
        row(page, job).get_by_role("checkbox").check()
    page.get_by_label("Action:").select_option(label=action)
    page.locator(".actions").get_by_role("button").click()


def exported(page: Page, action: str, job: str) -> tuple[str, bytes]:
    """The name and the bytes of the file."""
    with page.expect_download() as started:
        choose(page, action, job)
    return started.value.suggested_filename, started.value.path().read_bytes()


def test_a_job_is_cancelled_once_that_is_confirmed(page: Page, stand: Stand) -> None:
    job = stand.submit("/held/cancel/1", "/held/cancel/2")
    page.goto(page_of(job))
    page.get_by_role("button", name="Cancel job").click()
    expect(page.get_by_text("1 job selected; 1 can be cancelled now")).to_be_visible()
    page.get_by_role("link", name="No, go back").click()
    expect(row(page, job)).to_contain_text("running")

    choose(page, "Cancel the selected jobs", job)
    page.get_by_role("button", name="Yes, cancel").click()
    expect(page.get_by_text("Cancelled 1 job: ")).to_be_visible()
    expect(row(page, job)).to_contain_text("cancelled")
    stand.site.let_go("/held/cancel/1")


def test_what_failed_is_retried_as_a_new_job(page: Page, stand: Stand) -> None:
    job = stand.drained("/tides", "/missing/retry")
    stand.site.put("/missing/retry")
    page.goto(page_of(job))
    expect(fact(page, "Progress")).to_have_text("1 done 1 failed")
    page.get_by_role("button", name="Retry job").click()
    expect(page.get_by_text("1 can be retried now, with 1 target not done")).to_be_visible()
    page.get_by_role("button", name="Yes, retry").click()

    page.get_by_text("Retried 1 job: ").get_by_role("link").click()
    expect(row(page, "/missing/retry")).to_be_visible()
    expect(fact(page, "Progress")).to_have_text("1 done")
    expect(row(page, "/tides")).to_have_count(0)


@pytest.fixture(scope="module")
def ended(stand: Stand) -> str:
    return stand.drained("/tides", "/missing/export")


def test_results_are_exported_as_jsonl(page: Page, stand: Stand, ended: str) -> None:
    name, body = exported(page, "Export the selected jobs as JSONL", ended)
    assert name == f"{ended}.jsonl"
    done, failed = map(json.loads, body.splitlines())
    assert done["url"].startswith(f"{stand.site.url}/tides")
    assert "The tide turns twice a day" in done["content"]
    assert (failed["status"], failed["code"], failed["content"]) == ("failed", "not_found", None)


def test_results_are_exported_as_csv(page: Page, ended: str) -> None:
    name, body = exported(page, "Export the selected jobs as CSV", ended)
    assert name == f"{ended}.csv"
    rows = list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"))))
    assert [row["status"] for row in rows] == ["done", "failed"]
    assert "The tide turns twice a day" in rows[0]["content"]


def test_results_are_exported_as_zip(page: Page, ended: str) -> None:
    name, body = exported(page, "Export the selected jobs as zip of Markdown", ended)
    assert name == f"{ended}.zip"
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        pages = [archive.read(name).decode() for name in archive.namelist()]
    assert len(pages) == 2  # the target that is done, and the index
    assert any("The tide turns twice a day" in page for page in pages)
