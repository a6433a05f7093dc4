"""Without a mouse: what can be clicked can be reached, seen and used."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.places import JOBS, fact, page_of, row
from tests.browser.stand import Stand

FOCUS_IS_SEEN = """element => {
    const seen = getComputedStyle(element);
    return seen.outlineStyle !== "none" && parseFloat(seen.outlineWidth) > 0;
}"""


def tab_to(page: Page, wanted: Locator, steps: int = 80, key: str = "Tab") -> None:
    """Press Tab until the focus is there, which has to be seen."""
    goal = wanted.element_handle()
    for _ in range(steps):
        page.keyboard.press(key)
        if page.evaluate("goal => document.activeElement === goal", goal):
            assert page.evaluate(FOCUS_IS_SEEN, goal), f"no focus is seen on {wanted}"
            return
    raise AssertionError(f"{wanted} was not reached within {steps} steps")


def test_a_job_is_added(page: Page, stand: Stand) -> None:
    page.goto(JOBS)
    tab_to(page, page.get_by_role("link", name="Skip to main content"))
    page.keyboard.press("Enter")
    tab_to(page, page.locator(".object-tools").get_by_role("link", name="Add job"), steps=3)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Add job")).to_be_visible()
    tab_to(page, page.get_by_label("URLs"))
    page.keyboard.type(f"{stand.site.url}/tides?keys\n")
    for name in ("File", "Mode", "Question", "Pages", "Grep", "jq", "Context"):
        tab_to(page, page.get_by_label(name), steps=2)
    page.keyboard.press("Space")
    tab_to(page, page.get_by_label("Recover"), steps=1)
    tab_to(page, page.get_by_role("button", name="Submit"), steps=1)
    page.keyboard.press("Enter")

    expect(page.get_by_text("Submitted 1 target as job")).to_be_visible()
    expect(row(page, "/tides?keys")).to_be_visible()


def test_a_job_is_cancelled_from_the_list(page: Page, stand: Stand) -> None:
    job = stand.submit("/held/keys")
    page.goto(JOBS)
    tab_to(page, page.get_by_role("button", name="Pause updates"))
    tab_to(page, page.get_by_label("Action:"))
    page.keyboard.type("Cancel")
    tab_to(page, row(page, job).get_by_role("checkbox"))
    page.keyboard.press("Space")
    tab_to(page, page.locator(".actions").get_by_role("button"), key="Shift+Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Cancel jobs?")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Yes, cancel"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Cancelled 1 job: ")).to_be_visible()
    stand.site.let_go("/held/keys")


def test_a_job_is_retried_from_its_page_and_its_targets_are_opened(
    page: Page, stand: Stand
) -> None:
    job = stand.drained("/tides", "/missing/keys")
    page.goto(page_of(job))
    tab_to(page, page.get_by_role("link", name="0", exact=True))
    page.keyboard.press("Enter")
    expect(fact(page, "Content")).to_contain_text("The tide turns")

    page.goto(page_of(job))
    tab_to(page, page.get_by_role("button", name="Retry job"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Retry jobs?")).to_be_visible()
    tab_to(page, page.get_by_role("link", name="No, go back"))
