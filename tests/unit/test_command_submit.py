"""batch_submit: what it reads, what it submits, and its exit codes."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Target
from tests.rules.jobs import row, rows
from tests.unit.commands import refused, run

pytestmark = pytest.mark.django_db


def submitted(*args: str) -> list[tuple[str, dict[str, Any]]]:
    """(url, options) of each target of the job that came of it."""
    done = run("batch_submit", *args)
    assert done.code == 0, done.err
    return [(target.url, target.options) for target in rows(done.out.split()[0])]


def file(folder: Path, text: str | bytes, name: str = "list.txt") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_urls_may_stand_on_the_command_line() -> None:
    assert submitted("https://e.com/a", "http://e.com/b") == [
        ("https://e.com/a", {}),
        ("http://e.com/b", {}),
    ]


def test_options_go_to_all_targets() -> None:
    args = ["--option", "grep=a=b", "--option", "context=true", "--option", "pages=1-3"]
    expected = {"grep": "a=b", "context": True, "pages": "1-3"}
    assert submitted("https://e.com/a", "https://e.com/b", *args) == [
        ("https://e.com/a", expected),
        ("https://e.com/b", expected),
    ]


def test_the_caller_is_the_login_and_the_class_cli() -> None:
    submitted("https://e.com/a")
    job = BatchJob.objects.get()
    assert job.caller.startswith("cli:")
    assert job.caller_class == "cli"


def test_another_caller_may_be_named() -> None:
    submitted("https://e.com/a", "--caller", "user:7")
    assert BatchJob.objects.get().caller == "user:7"


def test_lines_of_urls(tmp_path: Path) -> None:
    text = "https://e.com/a\n\n  https://e.com/b  \r\n# not this\nhttps://e.com/c#fragment"
    assert [url for url, _ in submitted(file(tmp_path, text))] == [
        "https://e.com/a",
        "https://e.com/b",
        "https://e.com/c#fragment",
    ]


@pytest.mark.parametrize("head", ["urlx,mode", "url;mode", "https://e.com/"])
def test_csv_without_a_url_column_is_refused(tmp_path: Path, head: str) -> None:
    given = file(tmp_path, f"{head}\nhttps://e.com/a\n", "list.csv")
    assert "no column url" in refused("batch_submit", given)
    assert not BatchJob.objects.exists()


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_csv_with_a_url_column(tmp_path: Path, bom: bytes) -> None:
    text = 'Title,URL,mode,context\n"a, b",https://e.com/a?x=1,text,\nc,"https://e.com/b",,true\n'
    assert submitted(file(tmp_path, bom + text.encode())) == [
        ("https://e.com/a?x=1", {"mode": "text"}),
        ("https://e.com/b", {"context": True}),
    ]


def test_csv_whose_every_cell_is_quoted(tmp_path: Path) -> None:
    text = '"url","grep"\n"https://e.com/?ids=1,2","a{1,3}b"\n'
    assert submitted(file(tmp_path, text)) == [("https://e.com/?ids=1,2", {"grep": "a{1,3}b"})]


@pytest.mark.parametrize(
    ("rows", "line", "told"),
    [
        ("https://e.com/?ids=1,2,3\n", 2, "more cells"),
        ("https://e.com/,x\nhttps://e.com/,a{1,3}b\n", 3, "more cells"),
        ('https://e.com/,"x\nhttps://e.com/,y\n', 2, "end of data"),
        ('"https://e.com/\nhttps://e.com/?"\n', 2, "not closed"),
        ('"https://e.com/"x,y\n', 2, "expected"),
    ],
)
def test_csv_that_would_be_misread_is_refused(
    tmp_path: Path, rows: str, line: int, told: str
) -> None:
    error = refused("batch_submit", file(tmp_path, f"url,grep\n{rows}"), code=1)
    assert f"line {line}: " in error
    assert told in error
    assert not BatchJob.objects.exists()


def test_a_comma_at_the_end_of_a_csv_row_is_no_cell(tmp_path: Path) -> None:
    given = file(tmp_path, "url,grep\nhttps://e.com/,x,\nhttps://e.com/,,,\n")
    assert submitted(given) == [("https://e.com/", {"grep": "x"}), ("https://e.com/", {})]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_jsonl_of_targets(tmp_path: Path, end: str) -> None:
    lines = [
        '{"url": "https://e.com/a", "options": {"pages": 3}}',
        "",
        '"https://e.com/b"',
        # JSON may hold these as they are; they end no line.
        json.dumps({"url": "https://e.com/\u2028\u2029\x85x"}, ensure_ascii=False),
    ]
    assert submitted(file(tmp_path, end.join(lines))) == [
        ("https://e.com/a", {"pages": "3"}),
        ("https://e.com/b", {}),
        ("https://e.com/\u2028\u2029\x85x", {}),
    ]


def test_standard_input(monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("https://e.com/a\nhttps://e.com/b\n"))
    assert len(submitted("-")) == 2


def test_several_sources_are_one_list(tmp_path: Path) -> None:
    path = file(tmp_path, "https://e.com/b\nhttps://e.com/c\n")
    assert [url[-1] for url, _ in submitted("https://e.com/a", path, "https://e.com/d")] == [
        "a",
        "b",
        "c",
        "d",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"url": "https://e.com/a"}\n{"url": \n', "line 2"),
        ("[" * 100_000, "list.txt"),
        ('{"a": ' * 100_000, "list.txt"),
        (b"https://e.com/\xff\xfe", "UTF-8"),
        ("", "empty"),
        ("\n\n# only this\n", "empty"),
        ("url,mode\n", "empty"),
        ("url,context\nhttps://e.com/,maybe\n", "maybe"),
        ('"url","mode"\n"https://e.com/', ""),
        ('{"url": "https://e.com/a", "x": 1}', "'x'"),
        ('{"url": 5}', "url"),
        ("5\nnull\n", ""),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_file_that_cannot_be_read_is_told_of_in_one_line(
    tmp_path: Path, text: Any, told: str
) -> None:
    path = file(tmp_path, text)
    done = run("batch_submit", path)
    if done.code == 0:  # a form so loose that it is taken for lines of URLs, or forgiven
        assert BatchJob.objects.exists()
        return
    (line,) = done.err.splitlines()
    assert told in line
    assert not BatchJob.objects.exists()


def test_a_file_that_is_not_there_is_told_of_in_one_line(tmp_path: Path) -> None:
    assert "nowhere.txt" in refused("batch_submit", str(tmp_path / "nowhere.txt"), code=1)
    assert str(tmp_path) in refused("batch_submit", str(tmp_path), code=1)


@pytest.mark.parametrize(
    ("args", "told", "code"),
    [
        (["--option", "nonsense"], "name=value", None),
        (["--option", "colour=red"], "colour", 2),
        (["--option", "context=perhaps"], "perhaps", None),
        (["--output", "results.xml"], "results.xml", None),
        (["--caller", ""], "", None),
        (["--caller", "x" * 256], "caller", None),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_stored(
    args: list[str], told: str, code: int | None
) -> None:
    if args == ["--caller", ""]:
        assert run("batch_submit", "https://e.com/", *args).code in (0, 1)
        return
    assert told in refused("batch_submit", "https://e.com/", *args, code=code)
    assert not BatchJob.objects.exists()


def test_a_refusal_has_a_code_of_its_own(settings: Any) -> None:
    settings.BATCH = {"TARGETS_PER_JOB": 1}
    urls = ["https://e.com/a", "https://e.com/b"]
    assert "too many targets" in refused("batch_submit", *urls, code=2)
    first = Runner().submit("me", "", [Target("https://e.com/")]).id
    assert first in refused("batch_submit", urls[0], "--caller", "me", code=2)


def test_the_same_submission_says_that_it_was_made_before() -> None:
    first = run("batch_submit", "https://e.com/a", "--caller", "me")
    again = run("batch_submit", "https://e.com/a", "--caller", "me")
    assert again.code == 0
    assert again.out.startswith(first.out.strip())
    assert "before" in again.out
    assert row(first.out.strip()).status == "running"


def test_every_problem_is_told_with_what_to_do() -> None:
    line = refused("batch_submit", "https://e.com/", "--option", "a=1", "--option", "b=2", code=2)
    assert "a: there is no option 'a' (the options are mode, " in line
    assert "b: there is no option 'b'" in line


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("example.com", "'example.com' is no file; a URL begins with http:// or https://"),
        (".", "'.' is no file"),
    ],
)
def test_what_is_neither_a_file_nor_a_url_is_told(argument: str, told: str) -> None:
    assert told in refused("batch_submit", argument, code=1)


def test_a_json_array_is_no_list_of_targets(tmp_path: Path) -> None:
    file = tmp_path / "targets.json"
    file.write_text('[{"url": "https://e.com/"}]')
    assert "JSONL" in refused("batch_submit", str(file), code=1)


def test_an_object_does_not_fit_into_an_option_of_the_command() -> None:
    assert "JSONL" in refused("batch_submit", "https://e.com/", "--option", "extra={}", code=1)


@pytest.mark.parametrize("text", ["x" * 200_000, "url\rhttps://e.com/", 'url,"a\rb"\n1,2'])
def test_a_line_that_no_csv_has_is_no_traceback(tmp_path: Path, text: str) -> None:
    done = run("batch_submit", file(tmp_path, text, "list.csv"))
    assert done.code in (0, 1)
    assert "Traceback" not in done.err
