"""Rule 9: results are stored whole, clean and the same on every database, or not at all."""

import json
import logging
from typing import Any

import pytest

from batch.errors import FetchError
from batch.runner import Runner
from batch.types import FetchContext, Result, Target
from tests.rules.jobs import ROOMY, drained, rows, targets

pytestmark = pytest.mark.django_db


def stored(content: str, meta: dict[str, Any] | None = None, count: int = 1) -> Any:
    """The status of a target whose fetch returned this."""
    job_id = drained(lambda context, target: Result(content, meta or {}), count)
    found = Runner().status(job_id)
    assert found is not None
    return found[1][0]


@pytest.mark.parametrize(
    "content",
    ["", " ", "a\nb\tc\r\n", "é🙂\U0010ffff", '"\\/', "</script>", "\x01\x7f", "\u2028", "\ufeffx"],
)
def test_text_comes_back_as_it_was_given(content: str) -> None:
    status = stored(content, {content: content})
    assert status.result == Result(content, {content: content})
    assert (status.error, status.hint, status.code, status.details) == ("", "", "", None)


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b\udfff", "\0", "x\ud83d"])
def test_nul_and_lone_surrogates_are_replaced_everywhere(odd: str) -> None:
    clean = "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in odd)
    status = stored(odd, {odd: odd, "list": [odd, {"deep": odd}]})
    assert status.status == "done"
    assert status.result == Result(clean, {clean: clean, "list": [clean, {"deep": clean}]})


def test_json_values_come_back_as_they_were_given() -> None:
    meta = {
        "none": None,
        "true": True,
        "false": False,
        "int": 12345678901234567890,
        "negative": -5,
        "float": 0.1,
        "text": "é",
        "list": [1, [2, [3]]],
        "object": {"a": {"b": {}}},
        "empty": [],
        "number of 900 digits": 10**900,
    }
    assert stored("x", meta).result.meta == meta


def test_tuples_become_lists_and_subclasses_their_plain_kind() -> None:
    class Text(str):
        pass

    class Number(int):
        pass

    meta = {"tuple": (1, (2,)), Text("key"): Text("text"), "number": Number(5)}
    expected = {"tuple": [1, [2]], "key": "text", "number": 5}
    assert stored("x", meta).result.meta == expected


def test_thirty_levels_are_kept_on_every_database() -> None:
    meta: dict[str, Any] = {"core": 1}
    for _ in range(28):
        meta = {"in": meta}
    assert stored("x", meta).result.meta == meta


@pytest.mark.parametrize("char", ["x", "é", "🙂", "\n", '"'])
def test_a_result_counts_as_many_bytes_as_its_json_in_utf_8(settings: Any, char: str) -> None:
    settings.BATCH = {"RESULT_MAX_BYTES": 2000}
    frame = len('{"content":"","meta":{}}')
    width = len(json.dumps(char, ensure_ascii=False).encode()) - 2
    fits = (2000 - frame) // width
    assert stored(char * fits).status == "done"
    over = stored(char * (fits + 1))
    assert (over.status, over.code, over.result) == ("failed", "result_too_large", None)
    assert "2000" in over.error
    assert over.hint


def test_meta_counts_too(settings: Any) -> None:
    settings.BATCH = {"RESULT_MAX_BYTES": 1000}
    assert stored("x", {"a": "y" * 1000}).code == "result_too_large"


def test_five_megabytes_are_kept_by_default_and_eighty_are_not() -> None:
    assert stored("x" * (5 * 1024**2 - 100)).status == "done"
    assert stored("x" * (80 * 1024**2)).code == "result_too_large"


SECRETS = [
    "https://user:hunter2@example.com/x",
    "https://user:a@hunter2@example.com/x",
    "postgres://me:hunter2@db/x",
    "Authorization: Bearer hunter2",
    "authorization=Basic hunter2",
    "{'Authorization': 'Bearer hunter2'}",
    '{"password": "hunter2"}',
    "password=hunter2",
    "https://e.com/?token=hunter2&x=1",
    "https://e.com/?access_token=hunter2",
    "https://e.com/?api_key=hunter2",
    "X-Api-Key: hunter2",
    "DB_PASSWORD=hunter2",
    "client_secret=hunter2",
    "Cookie: sessionid=hunter2",
    "Set-Cookie: a=hunter2; Path=/",
    "the header was 'Bearer hunter2'",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_no_credentials_are_stored_with_an_error(secret: str) -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        if context.idx:
            raise FetchError(f"failed at {secret} today", f"see {secret}", code="bad_page")
        raise ValueError(f"failed at {secret} today")

    for target in rows(drained(fetch, 2)):
        assert "hunter2" not in target.error + target.hint
        assert "failed at" in target.error


@pytest.mark.parametrize("secret", SECRETS)
def test_no_credentials_are_logged_with_a_traceback(secret: str, caplog: Any) -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        raise ValueError(f"failed at {secret} today")

    drained(fetch)
    assert "hunter2" not in json.dumps([record.__dict__ for record in caplog.records], default=str)


@pytest.mark.parametrize(
    "harmless", ["https://e.com/?q=a@b", "mail me@example.com", "the token is missing", "passwords"]
)
def test_what_is_no_credential_is_left_as_it_is(harmless: str) -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        raise FetchError(harmless)

    assert rows(drained(fetch))[0].error == harmless


def test_the_log_has_the_traceback_and_the_row_does_not(caplog: Any) -> None:
    def deep_inside(context: FetchContext, target: Target) -> Result:
        raise ValueError("it broke")

    job_id = drained(deep_inside)
    (record,) = [one for one in caplog.records if one.getMessage() == "target_raised"]
    assert record.levelno == logging.ERROR
    assert (record.job, record.idx) == (job_id, 0)
    assert "deep_inside" in record.trace
    assert "Traceback" in record.trace
    (target,) = rows(job_id)
    assert target.error == "ValueError: it broke"
    assert "deep_inside" not in target.error + target.hint


def test_a_fetch_error_is_no_fault_and_leaves_no_traceback_in_the_log(caplog: Any) -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        raise FetchError("404")

    drained(fetch)
    assert "target_raised" not in [record.getMessage() for record in caplog.records]


def test_targets_that_differ_in_size_and_kind_keep_their_own_results() -> None:
    given = targets(20)

    def fetch(context: FetchContext, target: Target) -> Result:
        return Result(f"{context.idx}" * context.idx * 1000, {"url": target.url})

    runner = Runner(fetch, ROOMY)
    job_id = runner.submit("ann", "", given).id
    runner.drain(job_id)
    for idx, target in enumerate(rows(job_id)):
        assert target.result == {
            "content": f"{idx}" * idx * 1000,
            "meta": {"url": given[idx].url},
        }
