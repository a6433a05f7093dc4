"""Runs a command in this process, as `manage.py` would."""

import io
from dataclasses import dataclass
from typing import Any

from django.core.management import CommandError, call_command


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def run(name: str, *args: str, **options: Any) -> Done:
    """Its exit code and what it wrote; an error is what `manage.py` writes to stderr for it."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(name, *args, stdout=out, stderr=err, **options)
    except CommandError as error:
        code = error.returncode
        err.write(f"CommandError: {error}\n")
    except SystemExit as error:
        code = int(error.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def refused(name: str, *args: str, code: int | None = None) -> str:
    """The one line in which the command says why it does not do this."""
    done = run(name, *args)
    assert done.code == code if code is not None else done.code
    (line,) = done.err.splitlines()
    assert done.out == ""
    assert "Traceback" not in line
    return line
