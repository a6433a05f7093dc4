"""The door."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import log_in
from tests.browser.places import JOBS
from tests.browser.stand import USERNAME


def test_staff_log_in_and_get_where_they_wanted_to(opened: Callable[..., Page]) -> None:
    page = opened()
    page.goto(JOBS)
    page.get_by_label("Username").fill(USERNAME)
    page.get_by_label("Password").fill("a wrong one")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("Please enter the correct username and password")).to_be_visible()

    log_in(page)
    page.goto(JOBS)
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.goto(JOBS)
    expect(page.get_by_label("Username")).to_be_visible()
