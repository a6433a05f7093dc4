"""Request bodies: strict JSON, counted while it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from batch.api.parsers import PIECE_BYTES
from batch.models import BatchJob
from tests.api.conftest import JOBS, URL

pytestmark = pytest.mark.django_db

GOOD = json.dumps({"targets": [URL]}).encode()


class Stream:
    """A body as a server hands it on, which knows how much of it was read."""

    def __init__(self, body: bytes, *, breaks_off: bool = False) -> None:
        self.body = body
        self.breaks_off = breaks_off
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        piece = self.body[self.taken :][: size if size >= 0 else None]
        self.taken += len(piece)
        if self.breaks_off and not piece:
            raise ConnectionResetError("the client went away")
        return piece

    readline = read


def send(client: APIClient, stream: Stream, **environ: Any) -> Any:
    return client.generic(
        "POST", JOBS, content_type="application/json", **{"wsgi.input": stream, **environ}
    )


def chunked(client: APIClient, stream: Stream) -> Any:
    environ = {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    return send(client, stream, **environ)


def post(client: APIClient, body: bytes | str, content_type: str = "application/json") -> Any:
    return client.generic("POST", JOBS, body, content_type=content_type)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b" ", b"{", b'{"targets": [}', b"targets=x", b'{"targets": []} []'),
        *(b'{"targets": NaN}', b"[Infinity]", b"[-Infinity]"),
        *(b'"\xff"', b'{"targets": ["\xed\xa0\x80"]}', '{"a": 1}'.encode("utf-16")),
        *(b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000),
        *(b"null", b"7", b'"https://example.com/"', b"[]"),
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_body_that_is_no_json_object_is_malformed(as_ann: APIClient, body: bytes) -> None:
    answer = post(as_ann, body)
    # An empty body is announced as none at all.
    expected = "malformed_body" if body else "invalid_targets"
    assert (answer.status_code, answer.json()["code"]) == (400, expected)
    assert BatchJob.objects.count() == 0


def test_json_that_is_nested_within_reason_reaches_the_parser_of_targets(
    as_ann: APIClient,
) -> None:
    answer = post(as_ann, b'{"targets": [' + b"[" * 300 + b"]" * 300 + b"]}")
    assert answer.json()["code"] == "invalid_targets"


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "Application/JSON; charset=latin-1"],
)
def test_json_is_utf_8_whatever_else_is_claimed(as_ann: APIClient, content_type: str) -> None:
    url = "https://example.com/ü例"
    body = b"\xef\xbb\xbf" + json.dumps({"targets": [url]}, ensure_ascii=False).encode()
    created = post(as_ann, body, content_type)
    assert created.status_code == 202
    shown = as_ann.get(created.json()["links"]["targets"]).json()
    assert shown["results"][0]["url"] == url


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain", GOOD),
        ("", GOOD),
        ("nonsense", GOOD),
        ("application/x-www-form-urlencoded", b"targets=x"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"'),
        ("multipart/form-data", b"no boundary"),
        ("application/json-patch+json", GOOD),
        ("x" * 10_000, GOOD),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_anything_but_json_is_refused(as_ann: APIClient, content_type: str, body: bytes) -> None:
    answer = post(as_ann, body, content_type)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_body_may_have_as_many_bytes_as_the_setting_says(
    as_ann: APIClient, settings: Any
) -> None:
    settings.BATCH = {"BODY_MAX_BYTES": len(GOOD)}
    assert post(as_ann, GOOD).status_code == 202
    answer = post(as_ann, GOOD + b" ")
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert str(len(GOOD)) in answer.json()["detail"]


def test_the_limit_is_ours_and_not_that_of_django(as_ann: APIClient, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    assert post(as_ann, GOOD).status_code == 202


def test_a_body_announced_as_too_large_is_not_read(as_ann: APIClient, settings: Any) -> None:
    settings.BATCH = {"BODY_MAX_BYTES": 1000}
    stream = Stream(b" " * 2000)
    assert send(as_ann, stream, CONTENT_LENGTH="2000").status_code == 413
    assert stream.taken == 0


def test_a_body_without_a_length_is_read_to_its_end(as_ann: APIClient) -> None:
    assert chunked(as_ann, Stream(GOOD)).status_code == 202


def test_a_body_without_a_length_is_not_read_beyond_the_limit(
    as_ann: APIClient, settings: Any
) -> None:
    settings.BATCH = {"BODY_MAX_BYTES": 100_000}
    stream = Stream(b" " * 10_000_000)
    answer = chunked(as_ann, stream)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert stream.taken <= 100_000 + PIECE_BYTES


def test_a_stream_that_may_never_end_is_not_waited_for(as_ann: APIClient) -> None:
    stream = Stream(GOOD)
    assert send(as_ann, stream).json()["code"] == "invalid_targets"
    assert stream.taken == 0


def test_no_more_is_read_than_was_announced(as_ann: APIClient) -> None:
    stream = Stream(GOOD)
    assert send(as_ann, stream, CONTENT_LENGTH="9").json()["code"] == "malformed_body"
    assert stream.taken == 9


@pytest.mark.parametrize("announced", [{"CONTENT_LENGTH": "9000"}, {"wsgi.input_terminated": True}])
def test_a_client_that_goes_away_is_no_error_of_the_server(
    as_ann: APIClient, announced: dict[str, Any]
) -> None:
    answer = send(as_ann, Stream(GOOD, breaks_off=True), **announced)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_body")


@pytest.mark.parametrize("length", ["", "x", "1e3", "0"])
def test_a_length_that_is_no_number_counts_as_none(as_ann: APIClient, length: str) -> None:
    answer = send(as_ann, Stream(GOOD), CONTENT_LENGTH=length)
    assert answer.json()["code"] == "invalid_targets"


def test_calls_without_a_body_do_not_read_one(as_ann: APIClient, submit: Any) -> None:
    links = submit(as_ann)["links"]
    stream = Stream(b"{" * 100)
    answer = as_ann.generic(
        "POST", links["cancel"], content_type="text/plain", **{"wsgi.input": stream}
    )
    assert (answer.status_code, stream.taken) == (200, 0)
