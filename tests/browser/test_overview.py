"""The charts above the list, and the numbers beside them."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import JOBS
from tests.browser.stand import Stand


@pytest.fixture(scope="module")
def something_happened(stand: Stand) -> None:
    stand.drained("/tides", "/missing/overview", "/stations.json")


@pytest.fixture
def overview(page: Page, something_happened: None) -> Locator:
    page.goto(JOBS)
    return page.get_by_role("region", name="Overview")


def number(card: Locator, heading: str) -> str:
    return card.get_by_role("heading", name=f"{heading}: ").inner_text().partition(": ")[2]


def bars(chart: Locator) -> dict[str, tuple[str, float]]:
    """What each row of a chart says, and how long its bar is."""
    return {
        label: (told, row.locator("rect").bounding_box()["width"])
        for row in chart.get_by_role("listitem").all()
        for label, told in [row.inner_text().split("\n")]
    }


def test_the_cards_stand_side_by_side_above_the_list(page: Page, overview: Locator) -> None:
    cards = [card.bounding_box() for card in overview.locator(".batch-card").all()]
    assert len({card["y"] for card in cards}) == 1
    whole, rows = overview.bounding_box(), page.locator("#changelist").bounding_box()
    assert (whole["x"], whole["width"]) == (rows["x"], rows["width"])
    assert whole["y"] + whole["height"] < rows["y"]


def test_jobs_are_told_by_status_and_drawn_to_scale(overview: Locator) -> None:
    live, ended = overview.get_by_role("list").all()[:2]
    assert set(bars(live)) == {"queued", "running"}
    told = bars(ended)
    assert list(told) == ["done", "failed", "partial", "cancelled"]
    assert sum(int(n) for n, _ in told.values()) == int(number(overview, "Ended in 24 hours"))
    longest = max(told.values(), key=lambda bar: bar[1])
    for count, width in told.values():
        assert width == pytest.approx(longest[1] * int(count) / int(longest[0]), abs=2)


def test_failures_hosts_workers_and_the_rate_are_told_as_text(overview: Locator) -> None:
    card = {
        heading: overview.locator(".batch-card").filter(has_text=heading)
        for heading in ("Failures by code", "Slowest of", "Workers alive")
    }
    failures = bars(card["Failures by code"])
    assert sum(int(n) for n, _ in failures.values()) == int(number(overview, "Failures by code"))
    assert "not_found" in failures
    told, width = bars(card["Slowest of"])["127.0.0.1"]
    assert told.endswith(" targets")
    assert width > 0
    assert number(overview, "Workers alive") == "1"
    assert bars(card["Workers alive"])["slots in use"][0].endswith(" of 4")
    assert float(number(overview, "Targets a minute")) > 0


def test_a_chart_is_passed_by_where_its_numbers_are_read(overview: Locator) -> None:
    for chart in overview.locator("svg").all():
        expect(chart).to_have_attribute("aria-hidden", "true")
