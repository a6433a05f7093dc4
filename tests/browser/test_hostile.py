"""Text of strangers is text: nothing of it runs, and nothing of it becomes a part of a page."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import ADD, JOBS, TARGETS, fact, open_target, page_of, row
from tests.browser.site import HOSTILE
from tests.browser.stand import Stand

# What the payload would be, were it taken for HTML.
INJECTED = "#hacked, img[src=x], svg[onload], script:not([src], [type]), a[href^='javascript:' i]"


@pytest.fixture(scope="package")
def hostile_job(stand: Stand) -> str:
    """Hostile in each place that a stranger can write to."""
    site, quoted = stand.site.url, json.dumps(HOSTILE)
    targets = [
        f"{site}/hostile.html",
        f"{site}/hostile.txt",
        f"{site}/{HOSTILE}",
        f"javascript:{HOSTILE}",
        {"url": f"{site}/stations.json", "options": {"jq": quoted}},
        {"url": f"{site}/stations.json", "options": {"jq": f"error({quoted})"}},
        {"url": f"{site}/hostile.txt", "options": {"grep": "<script>", "question": HOSTILE}},
    ]
    lines = "\n".join(map(json.dumps, targets))
    said = stand.manage("batch_submit", "-", "--caller", HOSTILE, "--wait", given=lines)
    return said.split()[0]


def assert_harmless(page: Page) -> None:
    page.wait_for_load_state()  # also of images, whose failure runs what they say
    assert page.evaluate("window.hacked") is None
    assert page.locator(INJECTED).count() == 0
    assert page.get_by_text("<script>window.hacked").count() > 0


def test_the_payload_does_run_where_it_is_taken_for_html(page: Page, stand: Stand) -> None:
    page.goto("about:blank")
    page.set_content(HOSTILE)
    page.wait_for_function("window.hacked === 1")


def test_a_targets_page_shows_it_as_text(page: Page, hostile_job: str) -> None:
    for idx in range(7):
        open_target(page, hostile_job, idx)
        assert_harmless(page)


def test_a_jobs_page_and_the_lists_show_it_as_text(page: Page, hostile_job: str) -> None:
    for place in (page_of(hostile_job), JOBS, TARGETS, f"{TARGETS}?job={hostile_job}"):
        page.goto(place)
        assert_harmless(page)
    page.goto(page_of(hostile_job))
    expect(row(page, "jq: ")).to_contain_text(HOSTILE[:60])
    fact(page, "Caller").get_by_role("link").click()
    expect(row(page, hostile_job)).to_be_visible()
    assert_harmless(page)


def test_what_is_asked_and_told_about_it_is_text(page: Page, hostile_job: str) -> None:
    page.goto(page_of(hostile_job))
    page.get_by_role("button", name="Retry job").click()
    expect(page.get_by_role("heading", name="Retry jobs?")).to_be_visible()
    assert_harmless(page)


def test_a_form_that_is_refused_says_it_as_text(page: Page) -> None:
    page.goto(ADD)
    page.get_by_label("URLs").fill(json.dumps({"url": HOSTILE, "options": {HOSTILE: 1}}))
    page.get_by_label("Grep").fill(HOSTILE)
    page.get_by_label("Pages").fill(HOSTILE)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("No job was added")
    assert_harmless(page)
    expect(page.get_by_label("Grep")).to_have_value(HOSTILE)
