"""Answers that bend or break HTTP: read where that is safe, told apart where it is not."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .kit import OTHER, PARAGRAPH, Web, article, error_of, redirect, reply, warnings_of

BODY = article(PARAGRAPH, OTHER).encode()
HEAD = "HTTP/1.1 200 OK\nContent-Type: text/html"
PACKED = gzip.compress(BODY)
ONCE = {"attempts": 1}


def answer(head: str, body: bytes = BODY) -> bytes:
    """A head whose lines are parted by LF here, and a body that ends with the connection."""
    return head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body


def chunked(body: bytes = BODY, extension: bytes = b"", end: bytes = b"0\r\n\r\n") -> bytes:
    pieces = [body[at : at + 60] for at in range(0, len(body), 60)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in pieces) + end


CHUNKED = f"{HEAD}\nTransfer-Encoding: chunked"
READABLE = {
    "no reason in the status line": answer("HTTP/1.1 200\nContent-Type: text/html"),
    "a reason that is not ASCII": answer("HTTP/1.1 200 Schön\nContent-Type: text/html"),
    "the version before": answer("HTTP/1.0 200 OK\nContent-Type: text/html"),
    "lines that end with LF alone": answer(HEAD).replace(b"\r\n", b"\n"),
    "a header folded over two lines": answer("HTTP/1.1 200 OK\nContent-Type: text/html;\n a=b"),
    "a header of 60 kB": answer(f"{HEAD}\nX-A: {'a' * 60_000}"),
    "four thousand headers": answer(HEAD + "".join(f"\nX-{n}: b" for n in range(4000))),
    "answers on the way": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
    + answer(HEAD),
    "the same length twice": answer(HEAD + f"\nContent-Length: {len(BODY)}" * 2),
    "a length beside chunks": answer(f"{CHUNKED}\nContent-Length: 3", chunked()),
    "extensions of chunks": answer(CHUNKED, chunked(extension=b';a=b;c="d"')),
    "trailers": answer(CHUNKED, chunked(end=b"0\r\nX: y\r\n\r\n")),
    "chunk sizes with zeros before": answer(
        CHUNKED, b"0000%X\r\n%s\r\n000\r\n\r\n" % (len(BODY), BODY)
    ),
    "two types": answer(f"{HEAD}\nContent-Type: application/json"),
    "a type that is none": answer("HTTP/1.1 200 OK\nContent-Type: ;;/,"),
    "cookies that are none": answer(f"{HEAD}\nSet-Cookie: ;;;=\nSet-Cookie: a=b; domain=."),
    "dates that are none": answer(f"{HEAD}\nLast-Modified: Fri, 99 Foo 99999 99:99:99 GMT"),
    "a date before all time zones": answer(
        f"{HEAD}\nLast-Modified: Fri, 31 Dec 9999 23:59:59 -2359"
    ),
    "an encoding in capitals": answer(f"{HEAD}\nContent-Encoding: GZIP", PACKED),
    "empty items among the encodings": answer(f"{HEAD}\nContent-Encoding: ,gzip,", PACKED),
    "an encoding that is empty": answer(f"{HEAD}\nContent-Encoding:"),
    "two headers for two encodings": answer(
        f"{HEAD}\nContent-Encoding: gzip\nContent-Encoding: gzip", gzip.compress(PACKED)
    ),
    "zeros after a packed body": answer(f"{HEAD}\nContent-Encoding: gzip", PACKED + bytes(100)),
    "more after a packed body": answer(f"{HEAD}\nContent-Encoding: gzip", PACKED + b"<!-- -->"),
}  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_an_answer_that_can_be_understood_is_read(web: Web, name: str) -> None:
    result = web.fetch(READABLE[name], settings=ONCE)
    assert "bridge" in result.content
    assert result.meta["status_code"] == 200
    assert warnings_of(result) == []


UNREADABLE = {
    "another protocol": answer("SSH-2.0-OpenSSH_9.6"),
    "a page without any head": BODY,
    "a record of TLS": b"\x15\x03\x01\x00\x02\x02\x46",
    "another protocol's version": answer("HTTP/2 200 OK"),
    "a status of two digits": answer("HTTP/1.1 20 OK"),
    "a status of four digits": answer("HTTP/1.1 2000 OK"),
    "a status below all": answer("HTTP/1.1 099 OK"),
    "a switch to another protocol": answer("HTTP/1.1 101 Switching Protocols\nUpgrade: x"),
    "a header of 1 MB": answer(f"{HEAD}\nX-A: {'a' * 1_000_000}"),
    "a line that is no header": answer(f"{HEAD}\nnonsense"),
    "a header without a name": answer(f"{HEAD}\n: b"),
    "a space before the colon": answer(f"{HEAD}\nX-A : b"),
    "a header with NUL": answer(f"{HEAD}\nX-A: a\0b"),
    "two lengths": answer(f"{HEAD}\nContent-Length: {len(BODY)}\nContent-Length: 5"),
    "a negative length": answer(f"{HEAD}\nContent-Length: -5"),
    "a length that is no number": answer(f"{HEAD}\nContent-Length: 0x20"),
    "an empty length": answer(f"{HEAD}\nContent-Length:"),
    "a length of thirty digits": answer(f"{HEAD}\nContent-Length: {'9' * 30}"),
    "chunks that are packed in transfer": answer(
        f"{HEAD}\nTransfer-Encoding: gzip, chunked", chunked(PACKED)
    ),
    "a negative chunk": answer(CHUNKED, b"-5\r\nhello\r\n0\r\n\r\n"),
    "a chunk size that is no number": answer(CHUNKED, b"0x5\r\nhello\r\n0\r\n\r\n"),
    "a chunk size of thirty digits": answer(CHUNKED, b"F" * 30 + b"\r\nhello"),
    "a checksum that is wrong": answer(
        f"{HEAD}\nContent-Encoding: gzip", PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:]
    ),
    "an encoding that is not what it is called": answer(f"{HEAD}\nContent-Encoding: br", PACKED),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_answer_that_makes_no_sense_is_bad_and_not_asked_for_again(web: Web, name: str) -> None:
    server = web.serve(UNREADABLE[name])
    error = error_of(lambda: web.fetch(server))
    assert error.code == "bad_response"
    assert not error.retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "given",
    [
        answer(f"{HEAD}\nContent-Length: 100", b""),
        answer(CHUNKED, chunked(end=b"")),
        answer(CHUNKED, chunked(end=b"0\r\n")),
        answer(CHUNKED, b"FFFFFFFFFFFFFFFFFF\r\nhello"),
        b"HT",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_an_answer_that_is_not_whole_is_a_lost_connection(web: Web, given: bytes) -> None:
    assert error_of(lambda: web.fetch(given, settings=ONCE)).code == "connection_lost"


@pytest.mark.parametrize("name", ["none", "binary", "utf-8", "UTF-8", "aws-chunked"])
def test_what_is_named_as_an_encoding_and_packs_nothing_is_a_warning(web: Web, name: str) -> None:
    result = web.fetch(answer(f"{HEAD}\nContent-Encoding: {name}"))
    assert "bridge" in result.content
    assert warnings_of(result) == ["encoding_mismatch"]
    packed = web.fetch(answer(f"{HEAD}\nContent-Encoding: gzip, {name}", PACKED))
    assert "bridge" in packed.content


def test_a_packed_body_of_nothing_is_empty_content(web: Web) -> None:
    given = answer(f"{HEAD}\nContent-Encoding: gzip", gzip.compress(b""))
    assert error_of(lambda: web.fetch(given)).code == "empty_content"


@pytest.mark.parametrize("status", ["204 No Content", "205 Reset Content", "304 Not Modified"])
def test_a_status_without_a_body_does_not_wait_for_one(web: Web, status: str) -> None:
    started = time.monotonic()
    given = answer(f"HTTP/1.1 {status}\nContent-Length: 500", b"")
    error_of(lambda: web.fetch(lambda request: [given, 3.0]))
    assert time.monotonic() - started < 1


@pytest.mark.parametrize("status", ["404 No", "500 Bad"])
def test_the_body_of_a_failure_is_not_waited_for(web: Web, status: str) -> None:
    started = time.monotonic()
    given = answer(f"HTTP/1.1 {status}", b"slow")
    error_of(lambda: web.fetch(lambda request: [given, 3.0], settings=ONCE))
    assert time.monotonic() - started < 1


def test_the_body_of_a_redirect_is_not_waited_for(web: Web) -> None:
    server = web.serve({"/": lambda r: [redirect("/x") + b"slow", 3.0], "/x": reply(BODY)})
    started = time.monotonic()
    assert "bridge" in web.fetch(server).content
    assert time.monotonic() - started < 1


def endless(head: bytes, piece: bytes) -> Callable[[bytes], Iterator[Any]]:
    def given(request: bytes) -> Iterator[Any]:
        yield head
        for _ in range(200):
            yield piece * 20
            yield 0.02

    return given


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", b"a"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    ],
)
def test_an_answer_without_end_ends_on_the_clock(web: Web, head: bytes, piece: bytes) -> None:
    started = time.monotonic()
    settings = {"total_seconds": 0.5, "attempts": 1}
    error = error_of(lambda: web.fetch(endless(head, piece), settings=settings))
    assert error.code in ("timeout", "bad_response")
    assert time.monotonic() - started < 1.5
