"""What a person sees on a terminal, and a log does not have."""

import re
import sys

import pytest

from tests.processes import Processes

pytestmark = pytest.mark.django_db(transaction=True)

ON_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
BATCH = {"FETCH": "tests.unit.test_command_drain.fetch", "ISOLATION": "thread"}
SEQUENCES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


def on_a_terminal(processes: Processes, *args: str, **env: str) -> tuple[int, str]:
    """The exit code of a command, and all that it wrote."""
    command = (sys.executable, "manage.py", *args)
    env = {"TERM": "xterm-256color", "COLUMNS": "100", **env}
    process = processes.python("-c", ON_A_TERMINAL, *command, batch=BATCH, env=env)
    return process.wait(), process.out


def test_a_bar_renews_itself_and_a_table_follows(processes: Processes) -> None:
    urls = ("https://a.test/", "https://bad/")
    code, written = on_a_terminal(processes, "batch_submit", *urls, "--drain")
    assert code == 0, written
    assert "━" in written
    text = SEQUENCES.sub("", written)
    assert "partial 2/2, 1 failed" in text
    assert re.search(r"^0 +done +https://a.test/ +10 characters", text, re.MULTILINE), text


def test_columns_are_as_wide_as_they_look(processes: Processes) -> None:
    urls = ("https://a.test/日本語", "https://a.test/abc")
    _, written = on_a_terminal(processes, "batch_submit", *urls, "--drain")
    text = SEQUENCES.sub("", written)
    wide, narrow = re.findall(r"(https://a.test/\S+ +)10 characters", text)
    assert len(wide) + 3 == len(narrow)
