"""The Content-Security-Policy holds in a browser, and no page needs more than it grants."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Watch
from tests.browser.places import JOBS, PAGES


def test_what_is_inline_does_not_run_and_the_watch_sees_it(page: Page, watch: Watch) -> None:
    page.goto(JOBS)
    with page.expect_console_message(lambda said: "Content Security Policy" in said.text):
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.hacked = 1";
                document.body.append(script);
            }"""
        )
    assert page.evaluate("window.hacked") is None
    (complaint,) = watch.complaints
    assert "script" in complaint
    watch.complaints.clear()


def test_no_page_asks_for_more_than_the_policy_grants(page: Page, jobs: dict[str, str]) -> None:
    for go in PAGES.values():
        go(page, jobs)
        page.wait_for_load_state()


def test_the_page_of_the_api_shows_each_call_and_tries_one(page: Page) -> None:
    page.goto("/api/docs/")
    expect(page.get_by_role("heading", name="sift batch")).to_be_visible()
    call = page.locator("#operations-jobs-list_jobs")
    call.get_by_text("The caller's jobs, newest first").click()
    call.get_by_role("button", name="Try it out").click()
    call.get_by_role("button", name="Execute").click()
    answer = call.locator(".live-responses-table")
    expect(answer).to_contain_text("200")
    expect(answer).to_contain_text('"results"')


def test_the_page_of_the_api_fits_a_small_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto("/api/docs/")
    expect(page.get_by_text("The caller's jobs, newest first")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
