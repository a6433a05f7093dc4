"""The script that keeps progress up to date, in a page that Node plays."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.processes import ROOT

SCRIPT = ROOT / "batch/static/batch/live.js"
NODE = shutil.which("node")


def run(scenario: str) -> Any:
    if NODE is None:
        pytest.skip("Node is not installed here")
    page = Path(__file__).with_name("page.js")
    command = [NODE, str(page), scenario, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def seconds(seen: Any) -> list[float]:
    """When the server was asked."""
    return [moment / 1000 for moment, _ in seen["asked"]]


def test_progress_is_put_in_place_every_two_seconds() -> None:
    seen = run("progress")
    assert seconds(seen) == [2, 4]
    assert seen["asked"][0][1] == "/live/?jobs=0199aaaa000070008000000000000001"
    assert ">2 of 3</span>" in seen["cells"][0]
    assert seen["pausable"]


def test_when_nothing_is_live_any_more_nothing_is_asked() -> None:
    seen = run("an end")
    assert seconds(seen) == [2, 4]
    assert seen["cells"] == ["3 of 3"]
    assert seen["said"] == ["Job 0199aaaa-0000-7000-8000-000000000001 ended as done: 3 of 3."]
    assert (seen["pausable"], seen["reloadable"]) == (False, True)


def test_a_page_without_live_jobs_asks_nothing() -> None:
    assert run("without a board")["asked"] == []


def test_a_job_that_is_gone_is_not_asked_about_again() -> None:
    seen = run("a job that is gone")
    assert seconds(seen) == [2]
    assert ">0 of 3</span>" in seen["cells"][0]


def test_a_hidden_tab_asks_nothing_and_catches_up_at_once() -> None:
    assert seconds(run("a hidden tab")) == [2, 603]


def test_updates_can_be_paused_and_resumed() -> None:
    assert seconds(run("a pause")) == [600]


def test_who_wants_less_motion_sees_fewer_changes() -> None:
    assert seconds(run("less motion")) == [10, 20]


@pytest.mark.parametrize("scenario", ["a logout", "no permission"])
def test_who_may_not_look_any_more_is_told_and_nothing_is_asked(scenario: str) -> None:
    seen = run(scenario)
    assert seconds(seen) == [2]
    assert seen["said"][0].startswith("Updates have stopped")
    assert (seen["pausable"], seen["reloadable"]) == (False, True)


def test_a_server_in_trouble_is_asked_less_often_until_it_answers() -> None:
    assert seconds(run("trouble")) == [2, 6, 14, 16]


def test_a_screen_reader_hears_of_a_long_wait_now_and_then() -> None:
    assert run("a long wait")["said"] == ["1 of 3."]


def test_the_script_makes_no_code_of_text() -> None:
    text = SCRIPT.read_text()
    assert not re.search(r"innerHTML|insertAdjacent|document\.write|\beval\b|\.style\b", text)
