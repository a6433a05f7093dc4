"""What a page wrote is shown and not obeyed, and fits the terminal."""

import io

import pytest

from sift_batch.demo.results import show_target
from sift_batch.demo.screen import Screen, printable


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(content: str, stream: io.StringIO, **meta: object) -> str:
    target = {
        "idx": 0,
        "url": "https://example.com/\x1b]0;title\x07",
        "options": {"grep": "\x1b[2J"},
        "status": "done",
        "code": "",
        "result": {"content": content, "meta": meta},
    }
    show_target(Screen(stream), target, "")
    return stream.getvalue()


def test_sequences_that_move_a_terminal_are_taken_apart() -> None:
    text = shown("a\x1b[2Jb\r\x9b31mc\u202ed\x07", io.StringIO())
    assert not set(text) & set("\x1b\r\x07\x9b\u202e")
    assert "a [2Jb" in text


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_on_a_terminal_the_only_sequences_are_our_own(terminal: Terminal) -> None:
    text = shown("a\x1b[2Jb", terminal)
    assert text.count("\x1b") == text.count("\x1b[0m") * 2 > 0
    assert "\x1b[2J" not in text


def test_colours_are_left_out_where_somebody_asks(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown("text", terminal)


def test_progress_renews_its_line_on_a_terminal(terminal: Terminal) -> None:
    screen = Screen(terminal)
    for done in (0, 0, 5, 10):
        screen.progress(done, 10, f"{done} of 10")
    screen.end_progress()
    assert terminal.getvalue().count("\n") == 1
    assert "10 of 10" in terminal.getvalue()


def test_progress_is_lines_elsewhere() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    for done in (0, 0, 5):
        screen.progress(done, 10, f"{done} of 10")
    screen.end_progress()
    assert stream.getvalue() == "  0 of 10\n  5 of 10\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("日" * 30, "日" * 30),
        ("日" * 31, "日" * 29 + " …"),
        ("e\u0301" * 60, "e\u0301" * 60),
    ],
)
def test_a_line_is_cut_by_the_columns_that_it_takes(
    text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    Screen(stream).line(text)
    assert stream.getvalue() == expected + "\n"


def test_a_line_stays_a_line() -> None:
    assert printable("a\nb\u2028c\td") == "a b c d"


def test_what_is_worth_knowing_about_a_result_stands_below_it() -> None:
    text = shown("1\n2\n3\n4\n", io.StringIO(), charset="windows-1252", warnings=[{"code": "x"}])
    assert "(and 1 more line; its encoding is windows-1252; warning x)" in text
    assert "(nothing is left of the text)" in shown("", io.StringIO())
