"""Rule 1: the key itself, against digests written down."""

import hashlib

import pytest

from batch.canonical import canonical, idem_key
from batch.runner import Runner
from batch.types import Options, Target
from tests.rules.jobs import row

VECTORS = [
    (
        "alice",
        [Target("https://example.com/")],
        '[{"url":"https://example.com/","options":{}}]',
        "81d8481ac24df9c71d38561f866151d73505358955e8afad311290a91a70957e",
    ),
    (
        "alice",
        [
            Target(
                "https://example.com/?a=1&b=<x>", Options(mode="text", grep="a|b", context=True)
            ),
            Target(
                "https://example.com/ü",
                Options(question='What\nis "it"?\t', pages="1-3", jq=".a", recover=True),
            ),
        ],
        r'[{"url":"https://example.com/?a=1\u0026b=\u003cx\u003e","options":{"mode":"text",'
        r'"grep":"a|b","context":true}},{"url":"https://example.com/ü","options":{"question":'
        r'"What\nis \"it\"?\t","pages":"1-3","jq":".a","recover":true}}]',
        "11a862b196e1a2a4963c9789a8dae74f7727c43a05039c9d550378fdf52735cc",
    ),
    (
        "user:7",
        [Target("https://例え.jp/\u2028x", Options(mode="raw"))],
        r'[{"url":"https://例え.jp/\u2028x","options":{"mode":"raw"}}]',
        "85ab112c099a973db0e8e18188a057e774e2c6c6265ea53ba9fd53a793f5af1a",
    ),
]


@pytest.mark.parametrize(("caller", "targets", "form", "digest"), VECTORS)
def test_the_canonical_form_is_the_one_written_down(
    caller: str, targets: list[Target], form: str, digest: str
) -> None:
    assert canonical(targets).decode() == form


@pytest.mark.parametrize(("caller", "targets", "form", "digest"), VECTORS)
def test_the_key_is_the_digest_written_down(
    caller: str, targets: list[Target], form: str, digest: str
) -> None:
    assert idem_key(caller, targets) == digest


@pytest.mark.django_db
@pytest.mark.parametrize(("caller", "targets", "form", "digest"), VECTORS)
def test_a_stored_job_bears_the_key_written_down(
    caller: str, targets: list[Target], form: str, digest: str
) -> None:
    assert row(Runner().submit(caller, "", targets).id).idem_key == digest


def test_the_key_is_over_caller_nul_and_form() -> None:
    form = '[{"url":"https://e.com/","options":{}}]'
    expected = hashlib.sha256(f"Zoë\0{form}".encode()).hexdigest()
    assert idem_key("Zoë", [Target("https://e.com/")]) == expected


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<>&", r"\u003c\u003e\u0026"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ('"\\', r"\"\\"),
        ("\n\r\t", r"\n\r\t"),
        ("\b\f", r"\b\f"),
        ("\x01\x1f", r"\u0001\u001f"),
        ("\x7f", "\x7f"),
        ("é🙂/", "é🙂/"),
    ],
)
def test_text_is_escaped_as_go_does(text: str, written: str) -> None:
    form = canonical([Target("u", Options(grep=text))]).decode()
    assert form == f'[{{"url":"u","options":{{"grep":"{written}"}}}}]'


def test_options_stand_in_field_order_and_extra_last() -> None:
    everything = Options(
        extra={"b": 1, "a": [True, None, 1.5]},
        recover=True,
        context=True,
        jq=".",
        grep="g",
        pages="1",
        question="q",
        mode="m",
    )
    assert canonical([Target("u", everything)]).decode() == (
        '[{"url":"u","options":{"mode":"m","question":"q","pages":"1","grep":"g","jq":".",'
        '"context":true,"recover":true,"extra":{"a":[true,null,1.5],"b":1}}}]'
    )
