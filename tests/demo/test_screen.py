"""What a page wrote is shown and not obeyed, and fits the terminal."""

import io

import pytest

from sift_batch.demo.results import show_target
from sift_batch.demo.screen import Screen, cut, printable


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


def test_on_a_terminal_the_only_sequences_are_our_own() -> None:
    text = shown("a\x1b[2Jb", Terminal())
    assert text.count("\x1b") == text.count("\x1b[0m") * 2
    assert "\x1b[2J" not in text


def test_colours_are_left_out_where_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown("text", Terminal())


def test_progress_renews_its_line_on_a_terminal() -> None:
    stream = Terminal()
    screen = Screen(stream)
    for done in (0, 0, 5, 10):
        screen.progress(done, 10, f"{done} of 10")
    screen.end_progress()
    assert stream.getvalue().count("\r") == 3
    assert stream.getvalue().count("\n") == 1
    assert "█" * 15 + "░" * 15 in stream.getvalue()


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ],
)
def test_text_is_cut_by_the_columns_that_it_takes(text: str, columns: int, expected: str) -> None:
    assert cut(text, columns) == expected


def test_a_line_stays_a_line() -> None:
    assert printable("a\nb\u2028c\td") == "a b c d"


def test_what_is_worth_knowing_about_a_result_stands_below_it() -> None:
    text = shown("1\n2\n3\n4\n", io.StringIO(), charset="windows-1252", warnings=[{"code": "x"}])
    assert "(and 1 more line; its encoding is windows-1252; warning x)" in text
    assert "(nothing is left of the text)" in shown("", io.StringIO())
