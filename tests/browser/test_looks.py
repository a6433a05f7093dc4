"""Each page in light and dark, wide and narrow: nothing is in the way of anybody."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.places import ADD, JOBS, PAGES

PICTURES = Path(__file__).parent / "screenshots"
AXE = Axe()
# It would load style sheets anew, to look for rules on the screen's orientation.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
# Django names its search box by an icon with an alternative text, which axe does not count.
NOT_OURS = {"label-title-only": "#searchbar"}
# What reaches beyond the right edge of the page, or of a box that hides it; in a box that scrolls
# it can be brought into sight.
CUT_OFF = """() => [...document.querySelectorAll("main *")].filter(element => {
    if (element.closest(".visually-hidden")) {
        return false;
    }
    let box = element.parentElement;
    while (box && getComputedStyle(box).overflowX === "visible") {
        box = box.parentElement;
    }
    const scrolls = box && ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    const edge = box ? box.getBoundingClientRect().right : document.documentElement.clientWidth;
    return !scrolls && element.getBoundingClientRect().right > edge + 1;
}).map(element => element.outerHTML.slice(0, 200))"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_by_all_in_light_and_dark_and_on_a_small_screen(
    opened: Callable[..., Page], session: Any, jobs: dict[str, str], name: str
) -> None:
    # axe writes styles of its own into the page, which the policy would refuse.
    page = opened(storage_state=session, bypass_csp=True, reduced_motion="reduce")
    PAGES[name](page, jobs)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("!document.getAnimations().length")
        assert faults(page) == []
        page.screenshot(path=PICTURES / f"{name}-{scheme}.png", full_page=True)

    page.set_viewport_size({"width": 360, "height": 800})
    assert faults(page) == []
    page.screenshot(path=PICTURES / f"{name}-narrow.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(CUT_OFF) == []


def faults(page: Page) -> list[str]:
    """What axe finds to be serious or critical."""
    found = AXE.run(page, options=OPTIONS).response["violations"]
    return [
        f"{each['id']}: {node['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
        if node["target"] != [NOT_OURS.get(each["id"])]
    ]


def test_the_toggle_turns_the_dark_on_and_it_stays(page: Page) -> None:
    page.goto(JOBS)
    light = background(page)
    page.get_by_role("button", name="Toggle theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = background(page)
    assert brightness(dark) < 0.2 < 0.8 < brightness(light)
    page.goto(ADD)
    assert background(page) == dark


def background(page: Page) -> list[int]:
    found = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return [int(part) for part in found.strip("rgb()").split(", ")]


def brightness(colour: list[int]) -> float:
    return sum(colour) / (3 * 255)
