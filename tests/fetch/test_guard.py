"""What the guard refuses. Nothing here may even send a packet."""

from __future__ import annotations

import socket

import pytest

from sift_batch.fetch import FetchConfig

from .kit import PARAGRAPH, Web, article, error_of, fetch, redirect, reply

PAGE = reply(article(PARAGRAPH, PARAGRAPH))


def code_for(address: str, **settings: object) -> str:
    """The code of a fetch whose host resolves to ``address``."""
    config = FetchConfig(resolver=lambda host: [address], attempts=1, **settings)  # type: ignore[arg-type]
    return error_of(lambda: fetch("http://page.test/", config)).code


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "192.0.2.1",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "2001:0:7f00:1::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "2001:db8::1",
    ],
)
def test_a_name_that_resolves_to_an_inside_address_is_refused(address: str) -> None:
    assert code_for(address) == "blocked_address"


@pytest.mark.parametrize(
    "host",
    [
        "[::ffff:127.0.0.1]",
        "[::1]",
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "127.0.0.1.",
        "127\u30020\u30020\u30021",
        "\uff11\uff12\uff17.0.0.1",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "x.localhost",
        "x.localhost.",
        "printer.local",
        "metadata.google.internal",
    ],
)
def test_a_host_that_is_an_inside_address_in_disguise_gets_no_hit(web: Web, host: str) -> None:
    server = web.serve(PAGE)
    config = FetchConfig(allowed_ports=[server.port])
    error = error_of(lambda: fetch(f"http://{host}:{server.port}/", config))
    assert error.code == "blocked_address"
    assert server.requests == []


def test_the_address_that_was_judged_is_the_one_that_is_connected_to(web: Web) -> None:
    good = web.serve(PAGE, "127.0.0.2")
    bad = web.serve(PAGE, "127.0.0.3", good.port)
    answers = iter(["127.0.0.2", "127.0.0.3"])
    asked = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return [next(answers)]

    config = web.config(allowed_networks=["127.0.0.2/32"], resolver=rebinding)
    fetch(f"http://page.test:{good.port}/", config)
    assert len(asked) == 1
    assert len(good.requests) == 1
    assert bad.requests == []


def test_one_bad_answer_among_several_refuses_the_host(web: Web) -> None:
    server = web.serve(PAGE, "127.0.0.2")
    config = web.config(
        allowed_networks=["127.0.0.2/32"], resolver=lambda host: ["127.0.0.2", "10.0.0.1"]
    )
    error = error_of(lambda: fetch(f"http://page.test:{server.port}/", config))
    assert error.code == "blocked_address"
    assert server.requests == []


def test_a_redirect_to_an_inside_address_is_refused_without_naming_it(web: Web) -> None:
    server = web.serve(redirect("http://169.254.169.254:80/latest/"))
    config = web.config(allowed_ports=[80, server.port])
    error = error_of(lambda: fetch(f"http://page.test:{server.port}/", config))
    assert error.code == "blocked_redirect"
    assert "169.254" not in f"{error.message} {error.hint} {error.meta}"


@pytest.mark.parametrize("host", ["localhost", "0177.0.0.1", "[::1]", "2130706433"])
def test_a_redirect_to_a_disguised_inside_host_is_refused(web: Web, host: str) -> None:
    server = web.serve(redirect(f"http://{host}/"))
    config = web.config(allowed_ports=[80, server.port])
    error = error_of(lambda: fetch(f"http://page.test:{server.port}/", config))
    assert error.code == "blocked_redirect"


def test_every_refusal_has_the_same_words(web: Web) -> None:
    server = web.serve(PAGE)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]
    config = FetchConfig(allowed_ports=[server.port, closed])
    errors = [
        error_of(lambda url=url: fetch(url, config))  # type: ignore[misc]
        for url in (
            f"http://127.0.0.1:{server.port}/",
            f"http://127.0.0.1:{closed}/",
            f"http://localhost:{closed}/",
            "http://10.0.0.1:22/",
            "http://2130706433/",
        )
    ]
    assert {(e.code, e.message, e.hint) for e in errors} == {
        (errors[0].code, errors[0].message, errors[0].hint)
    }
    assert "ALLOWED_NETWORKS" in errors[0].hint


def test_the_guard_is_on_by_default() -> None:
    assert error_of(lambda: fetch("http://127.0.0.1/")).code == "blocked_address"


@pytest.mark.parametrize("port", [22, 25, 6379, 8000, 0])
def test_other_ports_are_refused(port: int) -> None:
    assert error_of(lambda: fetch(f"http://127.0.0.1:{port}/")).code == "blocked_address"


def test_an_opened_network_does_not_open_what_is_always_refused() -> None:
    everything = ["0.0.0.0/0", "::/0"]
    for address in ("168.63.129.16", "2002:7f00:1::", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1"):
        assert code_for(address, allowed_networks=everything) == "blocked_address"


def test_an_opened_translation_prefix_is_judged_by_the_address_inside() -> None:
    nat64 = ["64:ff9b::/96"]
    assert code_for("64:ff9b::a9fe:a9fe", allowed_networks=nat64) == "blocked_address"


def test_proxy_variables_are_not_obeyed(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = web.serve(PAGE)
    server = web.serve(PAGE)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    monkeypatch.setenv("NO_PROXY", "10.0.0.0/8")
    fetch(f"http://page.test:{server.port}/", web.config())
    assert proxy.requests == []
    assert len(server.requests) == 1


def test_the_next_address_is_tried_when_one_does_not_answer(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = web.serve(PAGE)
    with socket.socket() as silent:
        silent.bind(("127.0.0.2", server.port))
        silent.listen(0)
        filling = [socket.socket() for _ in range(4)]
        for one in filling:
            one.setblocking(False)
            one.connect_ex(("127.0.0.2", server.port))
        monkeypatch.setattr("sift_batch.fetch.guard.NEXT_ADDRESS_SECONDS", 0.2)
        config = web.config(
            allowed_networks=["127.0.0.0/30"], resolver=lambda host: ["127.0.0.2", "127.0.0.1"]
        )
        fetch(f"http://page.test:{server.port}/", config)
        for one in filling:
            one.close()
    assert len(server.requests) == 1


def test_a_slow_name_look_up_is_abandoned(web: Web) -> None:
    import time

    def slow(host: str) -> list[str]:
        time.sleep(3)
        return ["127.0.0.1"]

    config = FetchConfig(resolver=slow, connect_seconds=0.2, attempts=1)
    started = time.monotonic()
    error = error_of(lambda: fetch("http://page.test/", config))
    assert error.code == "dns_failed"
    assert error.retryable
    assert time.monotonic() - started < 1.5


def test_a_name_that_does_not_exist_is_told_apart_from_a_look_up_that_failed() -> None:
    def unknown(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    def broken(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "again")

    for resolver, code in ((unknown, "dns_not_found"), (broken, "dns_failed")):
        config = FetchConfig(resolver=resolver, attempts=1)
        assert error_of(lambda c=config: fetch("http://page.test/", c)).code == code  # type: ignore[misc]


def test_a_refused_connection_says_so(web: Web) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    error = error_of(
        lambda: fetch(f"http://page.test:{port}/", web.config(allowed_ports=[port], attempts=1))
    )
    assert error.code == "connect_refused"
    assert "127.0.0.1" not in f"{error.message} {error.hint} {error.meta}"
