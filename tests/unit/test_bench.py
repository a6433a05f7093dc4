"""What the benchmarks write: each section by itself, and charts that browsers can show."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import report
from bench.charts import Chart
from bench.measure import Row, Section, Table, at_most, ratio
from bench.server import Counts

PAGE = f"Before.\n\n{report.BEGIN}{report.END}\nAfter.\n"
ORDER = ["first", "second", "third"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    page = tmp_path / "performance.md"
    page.write_text(PAGE)
    (tmp_path / "images").mkdir()
    monkeypatch.setattr(report, "DOCS", tmp_path)
    monkeypatch.setattr(report, "PAGE", page)
    return page


def _write(name: str, found: str, *charts: Chart) -> None:
    table = Table(("", "a second"), [("runner", found)])
    section = Section(f"The {name}", [Row("rate", found)], "A remark.", table, charts)
    report.write(name, section, ORDER, f"python -m bench --only {name}", "18.4")


def test_a_section_is_renewed_by_itself_and_keeps_its_place(page: Path) -> None:
    for name in ("third", "first", "second"):
        _write(name, f"{name} number")
    kept = page.read_text().partition("<!-- part: second -->")

    _write("second", "new number")

    now = page.read_text().partition("<!-- part: second -->")
    assert now[0] == kept[0]
    assert "first number" in now[0]
    assert "third number" in now[2]
    assert "| runner | new number |" in now[2]
    assert "second number" not in now[2]
    assert (
        now[2].partition("<!-- part: third -->")[2] == kept[2].partition("<!-- part: third -->")[2]
    )
    assert now[2].endswith(f"{report.END}\nAfter.\n")


def test_a_chart_is_written_beside_the_page_and_shown_on_it(page: Path) -> None:
    _write("first", "1", _chart())

    assert "![One is 10, two is 2,000](images/bench-x.svg)" in page.read_text()
    assert (page.parent / "images" / "bench-x.svg").read_text() == _chart().svg()


@pytest.mark.parametrize("lines", [True, False])
def test_a_chart_shows_each_number_to_scale(lines: bool) -> None:
    drawing = ElementTree.fromstring(_chart(lines=lines).svg())

    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert drawing.findtext(f"{SVG}title") == "One is 10, two is 2,000"
    assert {"one <1>", "two"} <= set(texts)
    if lines:
        dots = [float(dot.get("cy", "")) for dot in drawing.iter(f"{SVG}circle")]
        assert len(dots) == 2
        assert dots[0] > dots[1]  # from the top
    else:
        bars = [float(bar.get("width", "")) for bar in drawing.iter(f"{SVG}rect")]
        assert bars[1] == pytest.approx(200 * bars[0], rel=0.02)


def test_a_missed_promise_is_told_as_such(page: Path) -> None:
    section = Section("Slow", [at_most("wait", 3.0, 2, "s")], "")

    report.write("first", section, ORDER, "python -m bench", "18.4")

    assert "| wait | 3 s | under 2 s: NO |" in page.read_text()


def test_a_ratio_is_that_of_rounds_and_not_of_medians() -> None:
    assert ratio([3.0, 8.0, 2.0], [1.0, 2.0, 1.0]) == 3.0


def test_counts_are_told_for_each_item() -> None:
    before, after = Counts(10, 5, 5, 1000), Counts(30, 10, 10, 3000)

    assert after.since(before, 10) == {
        "statements": 2.0,
        "transactions": 0.5,
        "flushes": 0.5,
        "bytes": 200.0,
    }


def _chart(*, lines: bool = False) -> Chart:
    alt = "One is 10, two is 2,000"
    return Chart(
        "bench-x", "Rates", "a second", alt, ["one <1>", "two"], {"rate": [10, 2000]}, lines
    )
