"""What a page is and says: shells, bot walls, refreshes and its own facts."""

from __future__ import annotations

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, error_of, reply, warnings_of

LONG = PARAGRAPH + OTHER
SHELL = (
    '<html><head><title>App</title></head><body><div id="root"></div>'
    "<noscript>You need to enable JavaScript to run this app.</noscript>"
    '<script src="/main.js"></script></body></html>'
)


def test_an_application_shell_is_told_as_such(web: Web) -> None:
    error = error_of(lambda: web.fetch(reply(SHELL)))
    assert error.code == "needs_javascript"
    assert "enable JavaScript" in web.fetch(reply(SHELL), mode="raw").content


@pytest.mark.parametrize(
    "html",
    [
        "<body><noscript>Please enable JavaScript.</noscript><p>A short page of words.</p></body>",
        f"<body><div id=root>{LONG}</div><script src=x></script></body>",
        "<body><p>Hello</p><script>count()</script></body>",
    ],
)
def test_a_page_with_words_is_no_shell(web: Web, html: str) -> None:
    assert web.fetch(reply(html)).content


@pytest.mark.parametrize(
    "wall",
    [
        "<title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue"
        "</noscript><script>window._cf_chl_opt = {}</script>",
        "<title>page.test</title><p>Please enable JS and disable any ad blocker</p>"
        "<script src='https://ct.captcha-delivery.com/c.js'></script>",
        "<title>Access to this page has been denied</title><div id=px-captcha></div>",
        "<iframe src='/_Incapsula_Resource?x=1'>Request unsuccessful. Incapsula incident ID: 1"
        "</iframe>",
        "<title>Pardon Our Interruption</title><p>As you were browsing something about your"
        " browser made us think you were a bot.</p>",
        "<title>Robot check</title><p>Type the characters you see in this picture.</p>",
    ],
)
def test_a_bot_wall_is_access_denied_even_with_200(web: Web, wall: str) -> None:
    assert error_of(lambda: web.fetch(reply(wall))).code == "access_denied"


def test_an_article_about_bot_walls_is_an_article(web: Web) -> None:
    html = article(
        LONG * 6,
        "<p>The page said <code>_cf_chl_opt</code> and asked whether the reader is human.</p>",
        head="<title>Just a moment: how bot walls work</title>",
    )
    assert "bridge" in web.fetch(reply(html)).content


def test_a_form_with_a_captcha_is_no_bot_wall(web: Web) -> None:
    html = "<title>Sign in</title><form>Name <input> <div class=g-recaptcha></div></form>"
    assert (
        "Name"
        in web.fetch(reply(html + "<script src='https://hcaptcha.com/1/api.js'></script>")).content
    )


def test_a_meta_refresh_is_followed_once(web: Web) -> None:
    page = """<html><head><meta content="0;URL='/real'" http-equiv=refresh></head></html>"""
    server = web.serve({"/": reply(page), "/real": reply(article(LONG))})
    result = web.fetch(server)
    assert "bridge" in result.content
    assert result.meta["final_url"].endswith("/real")
    assert len(result.meta["redirects"]) == 1


def test_a_meta_refresh_follows_the_base_of_the_page(web: Web) -> None:
    page = '<base href="/b/"><meta http-equiv="Refresh" content="1; url=real">'
    server = web.serve({"/": reply(page), "/b/real": reply(article(LONG))})
    assert "bridge" in web.fetch(server).content


@pytest.mark.parametrize(
    "page",
    [
        '<noscript><meta http-equiv=refresh content="0;url=/real"></noscript>',
        '<!-- <meta http-equiv=refresh content="0;url=/real"> -->',
        '<template><meta http-equiv=refresh content="0;url=/real"></template>',
        '<meta http-equiv=refresh content="0;url=javascript:void(0)">',
        '<meta http-equiv=refresh content="60">',
    ],
)
def test_a_meta_refresh_that_is_none_is_not_followed(web: Web, page: str) -> None:
    server = web.serve({"/": reply(page + article(LONG))})
    result = web.fetch(server)
    assert server.paths == ["/"]
    assert warnings_of(result) == []


def test_a_meta_refresh_after_a_while_is_a_warning(web: Web) -> None:
    page = '<meta http-equiv=refresh content="30;url=/real">' + article(LONG)
    assert warnings_of(web.fetch(reply(page))) == ["meta_refresh_ignored"]


def test_a_failure_after_a_refresh_tells_of_the_second_page_alone(web: Web) -> None:
    page = '<meta http-equiv=refresh content="0;url=/gone">'
    server = web.serve({"/": reply(page), "/gone": reply(b"", "text/plain", "404 Not Found")})
    known = error_of(lambda: web.fetch(server)).meta
    assert known is not None
    assert known["status_code"] == 404
    assert [hop["status"] for hop in known["redirects"]] == [200]
    assert not {"sha256", "bytes", "content_type", "detected_type"} & set(known)


def test_the_refresh_header_is_obeyed_like_a_meta_refresh(web: Web) -> None:
    waiting = reply(article("<p>Wait"), "text/html", "200 OK", "Refresh: 0; url=/real")
    server = web.serve({"/": waiting, "/real": reply(article(LONG))})
    result = web.fetch(server)
    assert "bridge" in result.content
    assert [hop["status"] for hop in result.meta["redirects"]] == [200]


def test_a_meta_refresh_to_the_inside_is_refused(web: Web) -> None:
    page = '<meta http-equiv=refresh content="0;url=http://localhost/">'
    assert error_of(lambda: web.fetch(reply(page))).code == "blocked_redirect"


def test_the_facts_that_a_page_tells_are_in_meta(web: Web) -> None:
    head = """<title>The bridge | Town news</title><link rel=canonical href="/canon">
    <meta name=description content="How it was decided"><meta name=author content="Ada Writer">
    <meta property="og:site_name" content="Town news">
    <meta property="article:published_time" content="2024-05-06T07:08:09+02:00">"""
    server = web.serve(
        reply(f'<html lang="en-GB">{article("<h1>The bridge</h1>", LONG, head=head)}', "text/html",
              "200 OK", 'ETag: "abc"', "Last-Modified: Mon, 06 May 2024 07:08:09 GMT")
    )  # fmt: skip
    meta = web.fetch(server).meta
    assert meta["title"] == "The bridge"
    assert meta["description"] == "How it was decided"
    assert meta["author"] == "Ada Writer"
    assert meta["site_name"] == "Town news"
    assert meta["published_at"] == "2024-05-06T05:08:09Z"
    assert meta["language"] == "en-GB"
    assert meta["canonical_url"] == f"http://page.test:{server.port}/canon"
    assert meta["final_url"] == f"http://page.test:{server.port}/"
    assert meta["etag"] == '"abc"'
    assert meta["last_modified"] == "2024-05-06T07:08:09Z"


def test_what_a_page_does_not_tell_is_null(web: Web) -> None:
    meta = web.fetch(reply(article(LONG))).meta
    for name in ("author", "site_name", "published_at", "language", "canonical_url", "etag"):
        assert meta[name] is None


def test_a_password_in_the_canonical_address_is_masked(web: Web) -> None:
    head = '<link rel=canonical href="https://user:secret@page.test/x">'
    assert web.fetch(reply(article(LONG, head=head))).meta["canonical_url"] == "https://page.test/x"
