"""What the form of a new job takes, how it tells what is wrong, and what it keeps."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from django.utils.safestring import mark_safe

from batch.admin.option_fields import OPTIONS
from batch.models import BatchJob
from batch.types import Options, Problem

from .adding import ADD, errors, file, refused, submitted
from .conftest import shown

pytestmark = pytest.mark.usefixtures("caps")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.txt", "https://a/\nhttps://b/"),
        ("list.csv", "url,grep\nhttps://a/,\nhttps://b/,x"),
        ("list.jsonl", '"https://a/"\n{"url": "https://b/", "options": {"grep": "x"}}'),
    ],
)
def test_the_same_forms_can_be_pasted_and_uploaded(root: Client, name: str, text: str) -> None:
    pasted = submitted(root, urls=text)
    BatchJob.objects.all().delete()
    assert submitted(root, file=file("\ufeff" + text, name)) == pasted
    assert [url for url, _ in pasted] == ["https://a/", "https://b/"]
    assert pasted[1][1] == ({} if name == "list.txt" else {"grep": "x"})


def test_text_and_file_are_taken_together(root: Client) -> None:
    made = submitted(root, urls="https://a/", file=file("url\nhttps://b/", "b.csv"))
    assert [url for url, _ in made] == ["https://a/", "https://b/"]


def test_the_seven_options_hold_for_all_targets_that_bring_none(root: Client) -> None:
    options = {
        "mode": "text",
        "question": "what?",
        "pages": "1-3",
        "grep": " a|b",
        "jq": ".x",
        "context": True,
        "recover": True,
    }
    own = '{"url": "https://b/", "options": {"grep": "own", "context": false}}'
    made = submitted(root, urls=f'"https://a/"\n{own}', **{**options, "context": "on"})
    assert made[0][1] == options
    assert made[1][1]["grep"] == "own"
    assert "context" not in made[1][1]
    assert made[1][1]["mode"] == "text"


def test_each_option_has_a_field_with_help(root: Client) -> None:
    assert set(OPTIONS) == set(vars(Options())) - {"extra"}
    page = shown(root, ADD)
    for name in ("urls", "file", *OPTIONS):
        assert re.search(rf'<label[^>]* for="id_{name}"|<label for="id_{name}"', page), name
        assert f'id="id_{name}_helptext"' in page
        assert f'aria-describedby="id_{name}_helptext"' in page
    assert '<select name="mode"' in page


def test_options_that_cannot_be_are_told_at_their_field_once(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "VALIDATE": f"{__name__}.no_grep"}
    found = refused(root, urls="https://a/\nhttps://b/", grep="(", mode="raw")
    assert found == {"grep": ["grep is no pattern (mend it)"]}


def test_a_problem_of_one_target_is_told_with_its_row(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "VALIDATE": f"{__name__}.no_grep"}
    found = refused(
        root,
        urls='"https://a/"\n{"url": "https://b/", "options": {"grep": "("}}',
        file=file("url,grep\nhttps://c/,(", "c.csv"),
    )
    assert found == {
        "urls": ["Target 2 (https://b/), grep: grep is no pattern (mend it)"],
        "file": ["Target 1 (https://c/), grep: grep is no pattern (mend it)"],
    }


def no_grep(targets: Any) -> list[Problem]:
    return [
        Problem(index, "grep", "bad", mark_safe("grep is no pattern"), mark_safe("mend it"))
        for index, target in enumerate(targets)
        if target.options.grep == "("
    ]


def test_every_row_that_is_no_target_is_told(root: Client) -> None:
    found = refused(root, urls='{"url": "", "options": {"grab": "x"}}\n{"url": 5}\n7')
    assert len(found["urls"]) == 4
    assert found["urls"][0].startswith("Target 1: the target has no URL")
    assert "there is no option 'grab'" in found["urls"][1]
    assert found["urls"][2].startswith("Target 2: url must be a string")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Give at least one URL"),
        (" \n# only a note\n", "Give at least one URL"),
        ('{"url": ', "the text, line 1: not JSON"),
        ('["https://a/"]', "the text is a JSON array"),
        ("url,context\nhttps://a/,maybe", "context=maybe: give true or false"),
        ("x" * 140_000, "field larger than field limit"),
        ("https://a/\0", "Null characters are not allowed"),
    ],
)
def test_text_that_cannot_be_read_is_told(root: Client, text: str, told: str) -> None:
    (error,) = refused(root, urls=text)["urls"]
    assert told in error


def test_a_file_that_cannot_be_read_is_told(root: Client) -> None:
    assert refused(root, file=file(b"\xff\xfe\x00a", "a.txt")) == {
        "file": ["a.txt is not UTF-8 text: save it as UTF-8."]
    }
    BatchJob.objects.all().delete()
    (error,) = refused(root, file=file("link;name\nx;y", "b.csv"))["file"]
    assert "b.csv has no column url" in error
    assert "Give at least one URL" in refused(root, file=file("", "c.txt"))["urls"][0]


def test_a_form_that_is_refused_comes_back_filled(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "TARGETS_PER_JOB": 1}
    given = {"urls": "https://a/\r\nhttps://b/", "mode": "raw", "grep": " x", "context": "on"}
    answer = root.post(ADD, given)
    page = answer.content.decode()
    assert errors(answer)["__all__"][0].startswith("too many targets: 2 given, at most 1 allowed")
    assert "https://a/\r\nhttps://b/</textarea>" in page
    assert '<option value="raw" selected>' in page
    assert 'value=" x"' in page
    assert re.search(r'name="context"[^>]* checked', page)
    assert "<title>Error: " in page


def test_what_a_file_said_is_kept_in_the_text(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "VALIDATE": f"{__name__}.no_grep"}
    answer = root.post(ADD, {"file": file("url,grep\nhttps://c/,(", "c.csv")})
    page = answer.content.decode()
    assert "url,grep\nhttps://c/,(</textarea>" in page
    assert "now stands in the field URLs" in page
    assert list(errors(answer)) == ["urls"]


def test_a_file_that_cannot_be_kept_is_asked_for_again(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "TARGETS_PER_JOB": 1}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    many = "https://a/\n" * 10_000
    for form in ({"urls": "https://b/", "file": file("https://a/")}, {"file": file(many)}):
        page = root.post(ADD, form).content.decode()
        assert "Choose the file again" in page


def test_a_check_alone_stores_nothing_and_keeps_the_form(root: Client) -> None:
    form = {"file": file("https://a/\nhttps://b/"), "grep": "x", "_check": "Check only"}
    answer = root.post(ADD, form)
    page = answer.content.decode()
    assert errors(answer) == {}
    assert "2 targets can be submitted." in page
    assert "https://a/\nhttps://b/</textarea>" in page
    assert 'value="x"' in page


def test_what_comes_back_is_no_html(root: Client) -> None:
    bad = "</textarea><script>alert(1)</script>"
    form = {
        "urls": f'{{"url": "{bad}", "options": {{"{bad}": 1}}}}',
        "file": file("x;y", f"{bad}.csv"),
        "grep": f'"{bad}',
        "mode": bad,
    }
    page = root.post(ADD, form).content.decode()
    assert "<script>alert" not in page
    assert escape(bad) in page
    page = root.post(ADD, {"urls": form["urls"], "jq": f"{bad}"}).content.decode()
    assert "there is no option" in page
    assert "<script>alert" not in page
