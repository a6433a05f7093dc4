"""Pages with a few words: none of their form is lost, and shells are told apart."""

from __future__ import annotations

import pytest

from .kit import PARAGRAPH, Web, error_of, reply

EXAMPLE = """<!doctype html><title>Example</title><nav><a href="/">Home</a></nav>
<div><h1>Example</h1><p>This name is for use in documentation, and nobody has to be asked.</p>
<ul><li>free</li><li>lasting</li></ul><p><a href="/more">Learn more</a></p></div>
<footer>Imprint</footer>"""


@pytest.mark.parametrize("mode", ["auto", "article"])
def test_a_small_page_keeps_its_heading_list_and_links(web: Web, mode: str) -> None:
    server = web.serve(reply(EXAMPLE))
    result = web.fetch(server, mode=mode)
    assert result.content == (
        "# Example\n\nThis name is for use in documentation, and nobody has to be asked.\n\n"
        f"- free\n- lasting\n\n[Learn more](http://page.test:{server.port}/more)"
    )
    assert result.meta["mode_used"] == "article"
    assert result.meta["warnings"] == []


def test_a_small_page_whose_text_stands_in_an_aside_is_not_its_menu(web: Web) -> None:
    page = f'<ul><li><a href="/">Home</a></ul><aside>{PARAGRAPH}</aside>'
    assert "bridge" in web.fetch(reply(page)).content


SCRIPT = '<script src="/app.js"></script>'


@pytest.mark.parametrize(
    "body",
    [
        f"<app-root></app-root>{SCRIPT}",
        f"<my-app> </my-app>{SCRIPT}",
        f"<div id=app><p>Loading...</p></div>{SCRIPT}",
        f"<div id=root><div class=spinner></div></div>{SCRIPT}",
        f"<main id=app>Please wait</main>{SCRIPT}",
        SCRIPT,
    ],
)
def test_a_page_that_scripts_would_fill_says_so(web: Web, body: str) -> None:
    page = f"<html><head><title>Shop</title></head><body>{body}</body></html>"
    assert error_of(lambda: web.fetch(reply(page))).code == "needs_javascript"


@pytest.mark.parametrize(
    "body",
    [
        f"<div id=app><p>Loading dock 4 is closed on Sunday. Please go to dock 5.</div>{SCRIPT}",
        f"<cookie-notice></cookie-notice><p>We are closed today.</p>{SCRIPT}",
        "<app-root></app-root><p>Scripts are not needed here.</p>",
        '<script type="application/ld+json">{}</script><app-root></app-root><p>Hours: 9 to 5.</p>',
    ],
)
def test_a_small_page_with_something_to_say_is_no_shell(web: Web, body: str) -> None:
    assert web.fetch(reply(f"<html><body>{body}")).content


def test_a_frameset_in_the_midst_of_a_page_is_ignored(web: Web) -> None:
    page = f"<html><body>{PARAGRAPH}<frameset><frame src=/x></frameset></body></html>"
    assert "bridge" in web.fetch(reply(page)).content
