"""Where things are in the admin, and the ways to its pages."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

JOBS = "/admin/batch/batchjob/"
ADD = f"{JOBS}add/"
TARGETS = "/admin/batch/batchtarget/"
WORKERS = "/admin/batch/batchworker/"


def page_of(job: str) -> str:
    return f"{JOBS}{job}/change/"


def fact(page: Page, name: str) -> Locator:
    """What a row's page tells under this name."""
    return (
        page.locator("div.fieldBox, div.form-row")
        .filter(has=page.locator("label", has_text=f"{name}:"))
        .last.locator(".readonly")
    )


def row(page: Page, text: str) -> Locator:
    """The row of a list in which this stands."""
    return page.locator("#result_list tbody tr").filter(has_text=text)


def open_target(page: Page, job: str, idx: int) -> None:
    page.goto(page_of(job))
    page.get_by_role("link", name=str(idx), exact=True).click()
    expect(fact(page, "Index")).to_have_text(str(idx))


def _live(page: Page, jobs: dict[str, str]) -> None:
    page.goto(page_of(jobs["live"]))
    expect(page.get_by_role("button", name="Pause updates")).to_be_visible()


def _worker(page: Page, jobs: dict[str, str]) -> None:
    page.goto(WORKERS)
    page.locator("#result_list tbody a").click()
    expect(page.get_by_role("heading", name="View worker")).to_be_visible()


def _refused(page: Page, jobs: dict[str, str]) -> None:
    page.goto(ADD)
    page.get_by_label("URLs").fill("https://example.com/")
    page.get_by_label("Grep").fill("(")
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_role("alert")).to_be_visible()


def _confirm(page: Page, jobs: dict[str, str]) -> None:
    page.goto(page_of(jobs["ended"]))
    page.get_by_role("button", name="Retry job").click()
    expect(page.get_by_role("heading", name="Retry jobs?")).to_be_visible()


# Each page, by a name for its picture. The last one logs out.
PAGES: dict[str, Callable[[Page, dict[str, str]], Any]] = {
    "index": lambda page, jobs: page.goto("/admin/"),
    "jobs": lambda page, jobs: page.goto(JOBS),
    "jobs-filtered": lambda page, jobs: page.goto(f"{JOBS}?status=partial"),
    "job": lambda page, jobs: page.goto(page_of(jobs["ended"])),
    "job-live": _live,
    "target-done": lambda page, jobs: open_target(page, jobs["ended"], 0),
    "target-failed": lambda page, jobs: open_target(page, jobs["ended"], 1),
    "target-long": lambda page, jobs: open_target(page, jobs["ended"], 2),
    "targets": lambda page, jobs: page.goto(TARGETS),
    "targets-of-job": lambda page, jobs: page.goto(f"{TARGETS}?job={jobs['ended']}"),
    "workers": lambda page, jobs: page.goto(WORKERS),
    "worker": _worker,
    "tokens": lambda page, jobs: page.goto("/admin/tokens/token/"),
    "token-add": lambda page, jobs: page.goto("/admin/tokens/token/add/"),
    "add": lambda page, jobs: page.goto(ADD),
    "add-refused": _refused,
    "confirm": _confirm,
    "login": lambda page, jobs: (page.context.clear_cookies(), page.goto(JOBS)),
}
