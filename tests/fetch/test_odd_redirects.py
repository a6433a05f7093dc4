"""Where a redirect can lead, beside another page."""

from __future__ import annotations

from typing import Any

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, error_of, redirect, reply

PAGE = reply(article(PARAGRAPH, OTHER))


def once(location: str | bytes) -> Any:
    """A redirect for the first request, the page for all others."""
    return [redirect(location), PAGE]


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 Other", "307 Temp", "308 Perm"])
def test_every_redirect_is_followed_with_a_get(web: Web, status: str) -> None:
    server = web.serve({"/": redirect("/x", status), "/x": PAGE})
    result = web.fetch(server)
    assert "bridge" in result.content
    assert result.meta["redirects"][0]["status"] == int(status[:3])
    assert all(request.startswith(b"GET ") for request in server.requests)


@pytest.mark.parametrize("status", ["300 Choices", "304 Same", "305 Proxy", "306 X", "309 X"])
def test_what_only_looks_like_a_redirect_is_not_followed(web: Web, status: str) -> None:
    server = web.serve({"/": redirect("/x", status), "/x": PAGE})
    assert error_of(lambda: web.fetch(server)).code == "http_error"
    assert server.paths == ["/"]


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/x#part", "/x"),
        ("#part", "/dir/page"),
        (".", "/dir/"),
        ("../../../x", "/x"),
        ("///x", "/x"),
        ("http:x", "/dir/x"),
        ("/x, /y", "/x,%20/y"),
        ("/%zz%", "/%zz%"),
        ('/x"<>', "/x%22%3C%3E"),
        ("/ü?ä=ö", "/%C3%BC?%C3%A4=%C3%B6"),
    ],
)
def test_a_location_is_read_as_browsers_do(web: Web, location: str, path: str) -> None:
    server = web.serve(once(location))
    assert "bridge" in web.fetch(server, "/dir/page").content
    assert server.paths == ["/dir/page", path]


@pytest.mark.parametrize(
    ("host", "sent"),
    [
        ("bücher.test", b"xn--bcher-kva.test"),
        ("xn--bcher-kva.test", b"xn--bcher-kva.test"),
        ("straße.test", b"xn--strae-oqa.test"),
        ("PAGE.test", b"page.test"),
        ("other.test.", b"other.test."),
        ("my_host.test", b"my_host.test"),
    ],
)
def test_a_host_of_any_spelling_is_asked_by_its_one_name(web: Web, host: str, sent: bytes) -> None:
    server = web.serve(PAGE)
    server._answers = once(f"http://{host}:{server.port}/")
    assert "bridge" in web.fetch(server).content
    assert b"host: %s:%d" % (sent, server.port) in server.requests[1].lower()


@pytest.mark.parametrize(
    "scheme",
    ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.test", "about:blank", "ftp://a.test/"],
)
def test_other_schemes_are_named_and_not_followed(web: Web, scheme: str) -> None:
    error = error_of(lambda: web.fetch(redirect(scheme)))
    assert error.code == "unsupported_scheme"
    assert scheme.partition(":")[0] in error.message


@pytest.mark.parametrize(
    "location",
    [
        "/\\other.test/",
        "\\\\other.test/x",
        "http://pa ge.test/",
        "http://page.test:99999/",
        "http://page.test:-1/",
        "http://page.test:x/",
        "http://[fe80::1%25lo]/",
        "http://[v1.a]/",
        "http://page.test%2f@other.test\\",
        "http://loc%61lhost/",
        "http://pag%65.test/",
        "http://a..test/",
        "http://*.test/",
        "http://-a.test/",
        "http://pa\u200bge.test/",
        "http://\u202epage.test/",
        "/" + "a" * 9000,
    ],
)
def test_a_location_that_is_no_url_is_a_bad_redirect(web: Web, location: str) -> None:
    server = web.serve(redirect(location))
    assert error_of(lambda: web.fetch(server)).code == "bad_redirect"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.%31", "%31%32%37.0.0.1", "①②⑦.0.0.1", "١٢٧.0.0.1", "0x7f.1", "[::7f00:1]"]
)
def test_a_redirect_to_an_encoded_address_is_blocked(web: Web, host: str) -> None:
    server = web.serve(PAGE)
    server._answers = once(f"http://{host}:{server.port}/")
    assert error_of(lambda: web.fetch(server)).code == "blocked_redirect"
    assert len(server.requests) == 1


def test_port_0_is_not_the_port_of_the_scheme(web: Web) -> None:
    server = web.serve(PAGE)
    server._answers = once("http://page.test:0/")
    settings = {"allowed_ports": [80, server.port]}
    assert error_of(lambda: web.fetch(server, settings=settings)).code == "blocked_redirect"


def test_of_two_locations_the_first_counts(web: Web) -> None:
    server = web.serve({"/": redirect("/x", "302 Found", "Location: /y"), "/x": PAGE, "/y": PAGE})
    assert web.fetch(server).meta["final_url"].endswith("/y")


def test_two_hosts_that_redirect_to_each_other_are_a_loop(web: Web) -> None:
    server = web.serve(PAGE)

    def other(request: bytes) -> bytes:
        host = "b.test" if b"a.test" in request else "a.test"
        return redirect(f"http://{host}:{server.port}/")

    server._answers = other
    error = error_of(lambda: web.fetch(server, host="a.test"))
    assert error.code == "too_many_redirects"
    assert "loop" in error.message


def test_a_chain_of_ten_is_followed_and_one_of_eleven_is_not(web: Web) -> None:
    def chain(length: int) -> Any:
        steps = {f"/{n}": redirect(f"/{n + 1}") for n in range(length)}
        return web.serve({**steps, f"/{length}": PAGE})

    assert len(web.fetch(chain(10), "/0").meta["redirects"]) == 10
    error = error_of(lambda: web.fetch(chain(11), "/0"))
    assert error.code == "too_many_redirects"
    assert "loop" not in error.message


def test_a_header_for_one_host_is_not_sent_to_the_next(web: Web) -> None:
    server = web.serve(PAGE)
    server._answers = {
        "/": redirect(f"http://u:p@other.test:{server.port}/x", "302 Found", "Set-Cookie: a=b"),
        "/x": PAGE,
    }
    result = web.fetch(server)
    second = server.requests[1].lower()
    assert b"authorization" not in second
    assert b"cookie" not in second
    assert b"referer" not in second
    assert "u:p" not in str(result.meta)
