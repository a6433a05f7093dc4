"""JSON, and jq in a process of its own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from batch.types import Options, Target
from sift_batch.fetch import jq_run, validate

from .kit import Web, error_of, reply, warnings_of

TYPE = "application/json"


def jq(web: Web, program: str, text: str = '{"a": 1}', content_type: str = TYPE) -> Any:
    return web.fetch(reply(text, content_type), jq=program)


def problem_of(program: str) -> Any:
    problems = validate([Target("http://a.test/", Options(jq=program))])
    return problems[0] if problems else None


def test_json_is_indented_and_keeps_its_numbers_and_its_order(web: Web) -> None:
    result = web.fetch(reply('{"z":9007199254740993,"a":"ü"}', TYPE))
    assert result.content == '{\n  "z": 9007199254740993,\n  "a": "ü"\n}'
    assert result.meta["content_format"] == "json"
    assert warnings_of(result) == []


def test_broken_json_stays_as_it_is_with_a_warning(web: Web) -> None:
    result = web.fetch(reply('{"a": 1,}', TYPE))
    assert result.content == '{"a": 1,}'
    assert warnings_of(result) == ["broken_json"]


@pytest.mark.parametrize(
    ("program", "content", "kind", "count"),
    [
        (".name", "word", "text", 1),
        (".list", "[\n  1,\n  2\n]", "json", 1),
        (".list[]", "1\n2", "jsonl", 2),
        (".none", "null", "json", 1),
        (".name, .name", '"word"\n"word"', "jsonl", 2),
        (".list | add # the sum", "3", "json", 1),
        ("def twice: . * 2;\n.list[0] | twice", "2", "json", 1),
        ("{input: .name}", '{\n  "input": "word"\n}', "json", 1),
        (".inputs", "4", "json", 1),
    ],
)
def test_the_form_of_the_output_follows_what_it_is(
    web: Web, program: str, content: str, kind: str, count: int
) -> None:
    result = jq(web, program, '{"name": "word", "list": [1, 2], "inputs": 4}')
    assert result.content == content
    assert result.meta["content_format"] == kind
    assert result.meta["jq_outputs"] == count


def test_no_output_is_success_with_a_warning(web: Web) -> None:
    result = jq(web, "empty")
    assert result.content == ""
    assert result.meta["jq_outputs"] == 0
    assert warnings_of(result) == ["no_output"]


@pytest.mark.parametrize("text", ['{"a":1}\n{"a":2}\n', '{"a":1}{"a":2}', '\ufeff{"a":1} {"a":2}'])
def test_several_values_are_several_inputs_in_order(web: Web, text: str) -> None:
    assert jq(web, ".a", text).content == "1\n2"
    assert jq(web, ".a", text, "application/x-ndjson").content == "1\n2"
    assert jq(web, ".a", text, "text/plain").content == "1\n2"


def test_nan_and_infinity_become_null_with_a_warning(web: Web) -> None:
    text = '{"a":NaN,"b":-Infinity,"c":1e999}'
    for program in (".", "{a,b,c}"):
        result = jq(web, program, text)
        assert json.loads(result.content) == {"a": None, "b": None, "c": None}
        assert warnings_of(result) == ["json_constants"]


def test_great_integers_are_a_warning_and_the_identity_keeps_them(web: Web) -> None:
    text = '{"id":9007199254740993}'
    assert warnings_of(jq(web, ".id", text)) == ["number_precision"]
    assert "9007199254740993" in jq(web, " . ", text).content


def test_half_a_surrogate_pair_is_replaced(web: Web) -> None:
    text = r'{"a":"x\ud800y","b":"\ud83d\ude00"}'
    assert jq(web, ".a", text).content == "x\ufffdy"
    assert jq(web, ".b", text).content == "😀"
    assert "x\ufffdy" in web.fetch(reply(text, TYPE)).content


def test_what_is_not_json_is_told_so(web: Web) -> None:
    for body, kind in (("<p>words</p>", "text/html"), ("words", "text/plain"), ("{", TYPE)):
        error = error_of(lambda b=body, k=kind: web.fetch(reply(b, k), jq=".a"))  # type: ignore[misc]
        assert error.code == "not_json"


@pytest.mark.parametrize(
    "program",
    ["$ENV.SIFT_SECRET", "env", "env.SIFT_SECRET", '"\\(env)"', "{$ENV}", "1) | ($ENV",
     "[$ENV, env]", "1) as $x | ([env, $ENV]", "$__loc__", "[$ENV] | tojson", "1), (env"],
)  # fmt: skip
def test_the_environment_is_out_of_reach(
    web: Web, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setenv("SIFT_SECRET", "xyzzy")
    assert "xyzzy" not in jq(web, program).content
    answers, _ = jq_run._asked("run", [program.replace("1)", "(1)")], '{"a":1}', 5.0)
    assert "xyzzy" not in str(answers)


def test_files_are_out_of_reach(web: Web, tmp_path: Path) -> None:
    (tmp_path / "sec.json").write_text('"xyzzy"')
    (tmp_path / "sec.jq").write_text('module {"secret": "xyzzy"}; def f: "xyzzy";')
    for program in (
        f'import "sec" as $d {{"search":"{tmp_path}"}}; $d',
        f'include "sec" {{"search":"{tmp_path}"}}; f',
        f'import "{tmp_path}/sec" as $d; $d',
    ):
        assert problem_of(program).code == "bad_jq"
        assert "xyzzy" not in problem_of(program).message
        assert error_of(lambda p=program: jq(web, p)).code == "jq_error"  # type: ignore[misc]
        # Without the wrapper as well there is nothing to be had.
        answers, _ = jq_run._asked("run", [program], "1", 5.0)
        assert "xyzzy" not in str(answers)
    error = error_of(lambda: jq(web, f'"{tmp_path}/sec" | modulemeta'))
    assert error.code == "jq_error"
    assert "xyzzy" not in error.message


@pytest.mark.parametrize(
    "program",
    ["input", "inputs", "halt", "halt_error", "halt_error(1)", "debug", 'debug("x")', "stderr",
     "input_filename", "[limit(2; inputs)]"],
)  # fmt: skip
def test_what_belongs_to_a_terminal_is_not_available(web: Web, program: str) -> None:
    error = error_of(lambda: jq(web, program))
    assert error.code == "jq_error"
    assert "not available" in error.message


@pytest.mark.parametrize(
    "program",
    ["def f: f; f", "[repeat(1)]", "[range(1e9)]", '"a" * 1000000000', "repeat(1)", "range(1e9)",
     "last(range(1e12))", "def f: [f]; f", '[range(300000) | "abcdef"]'],
)  # fmt: skip
def test_a_program_without_end_is_stopped_and_the_next_one_runs(
    web: Web, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(jq_run, "JQ_SECONDS", 0.6)
    started = time.monotonic()
    assert error_of(lambda: jq(web, program)).code == "jq_limit"
    assert time.monotonic() - started < 3
    assert jq(web, ".a").content == "1"


def test_a_document_too_large_for_jq_is_told_so(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq_run, "JQ_IN_BYTES", 10)
    assert error_of(lambda: jq(web, ".a", '{"a": 1234567890}')).code == "jq_limit"


def test_a_slow_regular_expression_of_jq_is_an_error(web: Web) -> None:
    text = json.dumps("a" * 26 + "!")
    assert error_of(lambda: jq(web, 'test("(a+)+$")', text)).code in ("jq_error", "jq_limit")


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (".a\n| foo", "line 2"),
        ("foo", "line 1"),
        (".[", "end of the program"),
        ("}", "line 1"),
        ("(", "unexpected end of the program"),
        ("# nothing", "unexpected end of the program"),
    ],
)
def test_a_program_that_does_not_compile_is_refused_with_its_own_line(
    program: str, line: str
) -> None:
    problem = problem_of(program)
    assert (problem.field, problem.code) == ("jq", "bad_jq")
    assert line in problem.message
    assert "top-level" not in problem.message
    assert "\n" not in problem.message
    assert problem.hint


def test_a_long_program_is_refused() -> None:
    assert problem_of("." + " " * 20_000).code == "bad_jq"


def test_each_distinct_program_is_compiled_once_and_in_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    original = jq_run._asked

    def count(task: str, programs: list[str], *rest: Any) -> Any:
        asked.append(len(programs))
        return original(task, programs, *rest)

    monkeypatch.setattr(jq_run, "_asked", count)
    targets = [Target(f"http://a.test/{n}", Options(jq=[".a", ".b"][n % 2])) for n in range(100)]
    assert validate(targets) == []
    assert asked == [2]


def test_an_error_of_the_program_is_told_in_its_words(web: Web) -> None:
    error = error_of(lambda: jq(web, ".a.b"))
    assert error.code == "jq_error"
    assert "Cannot index number" in error.message


def test_deep_json_does_not_crash(web: Web) -> None:
    text = "[" * 100_000 + "]" * 100_000
    assert error_of(lambda: jq(web, ".[0]", text)).code == "not_json"
    assert web.fetch(reply(text, TYPE)).content == text


@pytest.mark.parametrize(
    ("program", "content"),
    [
        ("get_search_list", "[]"),
        ("[env, $ENV] | add | length", "0"),
        (".a # )", "1"),
        ("1) | (2", "2"),
        ('"\\u0000"', "\ufffd"),
        ("nan", "null"),
        ("[nan, infinite] | .[0]", "null"),
        ("infinite", "1.7976931348623157e+308"),
        ("100000000000000000000", "100000000000000000000"),
        ("def env: 1; env", "1"),
        ("try error catch .a", "1"),
        ("label $out | 1, break $out", "1"),
    ],
)
def test_an_odd_program_gives_what_it_says_and_nothing_of_the_inside(
    web: Web, monkeypatch: pytest.MonkeyPatch, program: str, content: str
) -> None:
    monkeypatch.setenv("SIFT_SECRET", "xyzzy")
    assert jq(web, program).content == content


@pytest.mark.parametrize(
    "program",
    ["$__prog_args", "$named", "module {}; .", "1) #", ") | (", "}", '"', "@", ".[", "break $x",
     '"\\ud800"', "\ud800", "\x00", "# nothing", "  ", "?//", "{(1): 2}", "(" * 5000],
)  # fmt: skip
def test_an_odd_program_that_does_not_compile_is_refused(program: str) -> None:
    problem = problem_of(program)
    assert problem.code == "bad_jq"
    assert problem.hint
    assert "/" not in problem.message.replace("?//", "")


@pytest.mark.parametrize(
    "program",
    ["error", "error(null)", 'error("a\nb")', "input_line_number", "@sh", "1/0", ".a.b", "@foo",
     "limit(-1; 1)", "[.] | .[1e9] = 1", '"x" | test("(")', "ltrimstr(1)", "splits(1)"],
)  # fmt: skip
def test_an_odd_program_that_fails_does_so_in_one_line(web: Web, program: str) -> None:
    error = error_of(lambda: jq(web, program))
    assert error.code == "jq_error"
    assert "\n" not in error.message
    assert error.message.startswith("jq: ")
