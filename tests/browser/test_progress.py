"""What is live moves by itself: on a job's page and on the list, with no reload."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.places import JOBS, fact, page_of, row
from tests.browser.stand import Stand


def width_of_done(progress: Locator) -> float:
    bar = progress.locator("rect.batch-done").bounding_box()
    return bar["width"] if bar else 0.0


def test_a_jobs_page_follows_the_job_to_its_end(page: Page, stand: Stand) -> None:
    job = stand.submit("/held/page/1", "/held/page/2", "/missing/page")
    page.goto(page_of(job))
    page.evaluate("window.stays = true")
    status, progress = fact(page, "Status"), fact(page, "Progress")
    expect(status).to_have_text("running")
    expect(progress).to_have_text("3 waiting")

    stand.site.let_go("/held/page/1")
    expect(progress).to_have_text("1 done 2 waiting")
    a_third = width_of_done(progress)
    assert a_third > 0

    stand.site.let_go("/held/page/2")
    expect(progress).to_have_text("2 done 1 failed")
    assert width_of_done(progress) > a_third
    expect(status).to_have_text("partial")
    expect(fact(page, "Finished")).not_to_have_text("-")
    expect(page.get_by_role("status")).to_contain_text("ended as partial")
    expect(page.get_by_role("button", name="Pause updates")).to_be_hidden()
    assert page.evaluate("window.stays")

    expect(row(page, "/held/page/2")).not_to_contain_text("done")
    page.get_by_role("link", name="Reload the page").click()
    expect(row(page, "/held/page/2")).to_contain_text("done")
    expect(page.get_by_role("link", name="Reload the page")).to_be_hidden()


def test_the_list_follows_its_jobs_until_it_is_told_to_pause(page: Page, stand: Stand) -> None:
    job = stand.submit("/held/list/1", "/held/list/2", "/held/list/3")
    page.goto(JOBS)
    page.evaluate("window.stays = true")
    expect(row(page, job)).to_contain_text("3 waiting")

    stand.site.let_go("/held/list/1")
    expect(row(page, job)).to_contain_text("1 done 2 waiting")

    page.get_by_role("button", name="Pause updates").click()
    stand.site.let_go("/held/list/2", "/held/list/3")
    page.get_by_role("button", name="Resume updates").click()
    expect(row(page, job)).to_contain_text("3 done")
    expect(row(page, job).locator(".batch-badge")).to_have_text("done")
    assert page.evaluate("window.stays")
