"""A browser, what it looks at, and a watch on what its pages complain of."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.browser.site import Site
from tests.browser.stand import PASSWORD, USERNAME, Stand, standing

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing but this machine has an address.
ARGUMENTS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
WAIT_MS = 15_000

expect.set_options(timeout=WAIT_MS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        # By where a test stands, since a mark set by hand would be forgotten.
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


# For this folder alone: while Playwright runs, Django takes the thread for an asynchronous one.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=ARGUMENTS)


@pytest.fixture(scope="package")
def stand(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(tmp_path_factory.mktemp("browser")) as stand:
        yield stand


@pytest.fixture(scope="package")
def jobs(stand: Stand) -> dict[str, str]:
    """One that has ended, and one that stays live for longer than anybody looks."""
    ended = stand.drained("/tides", "/missing/jobs", "/long.txt", "/stations.json")
    held = [f"/held/jobs/{number}" for number in range(9)]
    return {"ended": ended, "live": stand.submit("/tides", "/missing/jobs", *held)}


@pytest.fixture
def site(stand: Stand) -> Site:
    return stand.site


class Watch:
    """Notes what a page complains of: scripts that fail, what the policy refuses, what is not
    there; and whatever it asks of another server."""

    def __init__(self, home: str) -> None:
        self._home = home
        self.complaints: list[str] = []

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.page and message.page.url}: {message.text}")

    def see(self, request: Request) -> None:
        if not request.url.startswith((f"{self._home}/", "data:", "blob:")):
            self.complaints.append(f"asked {request.url}")


def log_in(page: Page) -> None:
    page.goto("/admin/")
    page.get_by_label("Username").fill(USERNAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


@pytest.fixture
def watch(stand: Stand) -> Iterator[Watch]:
    watch = Watch(stand.url)
    yield watch
    assert watch.complaints == []


@pytest.fixture
def opened(browser: Browser, stand: Stand, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Opens a window with nobody logged in, under the watch."""
    with ExitStack() as cleanup:

        def new(**options: Any) -> Page:
            size = {"width": 1280, "height": 800}
            context = browser.new_context(base_url=stand.url, viewport=size, **options)
            cleanup.callback(context.close)
            context.set_default_timeout(WAIT_MS)
            context.on("console", watch.hear)
            context.on("weberror", lambda failed: watch.complaints.append(str(failed.error)))
            context.on("request", watch.see)
            return context.new_page()

        yield new


@pytest.fixture(scope="package")
def session(browser: Browser, stand: Stand) -> Any:
    """What a browser keeps of a login."""
    with browser.new_context(base_url=stand.url) as context:
        log_in(context.new_page())
        return context.storage_state()


@pytest.fixture
def page(opened: Callable[..., Page], session: Any) -> Page:
    """The window of a superuser."""
    return opened(storage_state=session)
