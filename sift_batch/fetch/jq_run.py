"""jq, in a process of its own that is killed at its limits.

The binding holds the interpreter's lock while a program runs, and jq can read files and the
environment, so it gets neither: no variables, an empty folder, no file to open.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

from .clock import Clock
from .data import compact, read_values, written
from .document import Document
from .errors import BadOption, fail
from .limits import (
    JQ_CHECK_SECONDS,
    JQ_IN_BYTES,
    JQ_MEMORY_BYTES,
    JQ_OUT_BYTES,
    JQ_SECONDS,
    MAX_JQ_CHARS,
)
from .meta import Meta

_CHILD = os.path.join(os.path.dirname(__file__), "jq_child.py")
_REFUSED = (
    "input",
    "inputs",
    "halt",
    "halt_error",
    "halt_error(f)",
    "debug",
    "debug(f)",
    "stderr",
    "input_filename",
    "modulemeta",
)
_MISSING = "is not available here"
_TOO_DEEP = "gives a value that is nested too deeply"
_NO_PROGRAM = re.compile("[\0\ud800-\udfff]")
_FIRST_LINE = (
    "def env: {}; "
    + " ".join(
        f'def {name}: error("{name.partition("(")[0]} {_MISSING};'
        ' the document is the input, as .");'
        for name in _REFUSED
    )
    + " {} as $ENV | ("
)
_LINE = re.compile(r",? at <top-level>, line (\d+)(?:, column (\d+))?:?.*", re.DOTALL)
_AT_THE_END = re.compile(r"unexpected \S+ at the end of the program")
_HINT = "test the program with jq itself on a copy of the document"


def check_programs(programs: Iterable[str]) -> dict[str, BadOption]:
    """What is wrong with the programs that do not compile. Each is compiled once."""
    clock = Clock(JQ_CHECK_SECONDS)
    bad: dict[str, BadOption] = {}
    left = []
    for program in dict.fromkeys(programs):
        if _NO_PROGRAM.search(program):
            bad[program] = _bad("it holds a NUL or half of a surrogate pair")
        elif len(program) > MAX_JQ_CHARS:
            bad[program] = _bad(f"the program is longer than {MAX_JQ_CHARS} characters")
        else:
            left.append(program)
    while left:
        answers, _ = _asked("check", [_wrapped(p) for p in left], "", clock.remaining())
        for program, answer in zip(left, answers, strict=False):
            if "error" in answer:
                bad[program] = _bad(_one_line(answer["error"], program))
        left = left[len(answers) :]
        if left:  # the process ended before it had checked this one
            bad[left[0]] = _bad("the program takes too long or too much memory to compile")
            left = left[1:]
        if clock.remaining() <= 0:
            bad.update({p: _bad("too many programs to check them in time") for p in left})
            break
    return bad


def run_jq(program: str, text: str, clock: Clock, meta: Meta) -> Document:
    """What ``program`` makes of a JSON text.

    Raises ``not_json``, ``jq_error`` or ``jq_limit``.
    """
    if len(text.encode("utf-8", "replace")) > JQ_IN_BYTES:
        raise _limit(f"the document is larger than {JQ_IN_BYTES} bytes")
    read = read_values(text)
    as_it_is = program.strip() == "."
    outputs = read.values
    if not as_it_is:
        outputs = _run(program, read.values, clock)
    for code, message in read.warnings():
        if code != "number_precision" or not as_it_is:
            meta.warn(code, message)
    meta.set(jq_outputs=len(outputs))
    if not outputs:
        meta.warn("no_output", "the jq program gave no output for this document")
        return Document("", "text")
    if len(outputs) == 1 and isinstance(outputs[0], str):
        return Document(outputs[0], "text")
    try:
        return Document(*written(outputs))
    except RecursionError:
        raise _limit(f"the jq program {_TOO_DEEP}") from None


def _run(program: str, values: list[Any], clock: Clock) -> list[Any]:
    text = "\n".join(compact(value) for value in values)
    answers, ended = _asked("run", [_wrapped(program)], text, clock.bounded(JQ_SECONDS))
    last = answers[-1] if answers else {}
    if "error" in last:
        message = _one_line(last["error"], program)
        raise fail("jq_error", f"jq: {message}", message if _MISSING in message else _HINT)
    if "limit" in last:
        what = {"output": f"gives more than {JQ_OUT_BYTES} bytes", "depth": _TOO_DEEP}
        raise _limit(f"the jq program {what.get(last['limit'], 'needs too much memory')}")
    if "end" not in last:
        clock.check()
        raise _limit(
            "the jq program needs too much memory"
            if ended
            else f"the jq program takes longer than {JQ_SECONDS:g} seconds"
        )
    return [answer["value"] for answer in answers[:-1]]


def _asked(
    task: str, programs: list[str], text: str, seconds: float
) -> tuple[list[dict[str, Any]], bool]:
    """A process's answers, and whether it ended by itself rather than for its time."""
    limits = [str(int(JQ_SECONDS) + 1), str(JQ_MEMORY_BYTES), str(JQ_OUT_BYTES)]
    with (
        tempfile.TemporaryDirectory(prefix="sift-jq-") as empty,
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
    ):
        given.write(json.dumps(programs).encode() + b"\n" + text.encode("utf-8", "replace"))
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", _CHILD, _binding(), task, *limits],
            stdin=given,
            stdout=out,
            stderr=subprocess.DEVNULL,
            cwd=empty,
            env={},
        )
        try:
            process.wait(timeout=max(seconds, 0.001))
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode > 0:
            # Limits end a process by a signal, and a bad program is an answer.
            raise RuntimeError(f"the jq process failed with exit code {process.returncode}")
        out.seek(0)
        lines = out.read().split(b"\n")
    # The last piece is empty, or a line that the process did not finish.
    return [_answer(line) for line in lines[:-1]], ended


def _answer(line: bytes) -> dict[str, Any]:
    if line.startswith(b"="):
        try:
            return {"value": json.loads(line[1:])}
        except RecursionError:
            raise _limit(f"the jq program {_TOO_DEEP}") from None
    answer: dict[str, Any] = json.loads(line)
    return answer


@functools.cache
def _binding() -> str:
    """The binding's file, so that the process needs no search path for packages."""
    spec = importlib.util.find_spec("jq")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package jq is not installed")
    return spec.origin


def _wrapped(program: str) -> str:
    return f"{_FIRST_LINE}\n{program}\n)"


def _one_line(message: str, program: str) -> str:
    """jq's message without its quotation, its line counted in the caller's program."""
    text = message.removeprefix("jq: error: ")

    def place(match: re.Match[str]) -> str:
        line, column = int(match[1]) - 1, match[2]
        if line > program.count("\n") + 1:
            return " at the end of the program"
        return f" at line {line}" + (f", column {column}" if column else "")

    line = " ".join(_LINE.sub(place, text).split())[:500]
    # What jq came upon there is the wrapper's own bracket.
    return _AT_THE_END.sub("unexpected end of the program", line)


def _bad(message: str) -> BadOption:
    return BadOption("jq", "bad_jq", f"the jq program cannot be used: {message}", _HINT)


def _limit(message: str) -> Exception:
    return fail("jq_limit", message, "select less of the document, or fetch a smaller one")
