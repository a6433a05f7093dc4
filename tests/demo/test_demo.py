"""`python -m sift_batch.demo`: what a newcomer sees first."""

import json
import re
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sift_batch.demo.api import Api, Refused
from sift_batch.demo.targets import LOCAL_FAILURES, local_targets
from tests.concurrency import eventually
from tests.demo.runs import Program, left

DEMO = ("-m", "sift_batch.demo")
TARGETS = local_targets("")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def said(folder: Path) -> str:
    """One run of the demo, for all that can be seen of it."""
    # URLS of somebody's shell is empty here; a variable that is set and empty means none.
    with Program(*DEMO, folder=folder, URLS="") as demo:
        family = []
        eventually(lambda: "POST /api/jobs/" in demo.said, 60)
        family = demo.family()
        assert len(family) > 3, "a web server and a worker are processes of their own"
        assert demo.wait() == 0, demo.said
        assert left(family) == []
        return demo.said


def test_it_ends_by_itself_with_exit_code_0_and_leaves_no_process(said: str) -> None:
    assert "Traceback" not in said


def test_the_same_submission_again_is_the_same_job(said: str) -> None:
    first, again = re.findall(r"(\d+)  job (\S+)  reused: (\w+)", said)
    assert (first[0], first[2]) == ("202", "false")
    assert (again[0], again[2]) == ("200", "true")
    assert first[1] == again[1]


def test_it_shows_progress_in_lines_where_there_is_no_terminal(said: str) -> None:
    steps = [int(done) for done in re.findall(rf"(\d+) of {len(TARGETS)}, ", said)]
    assert len(steps) > 2
    assert steps == sorted(steps)
    assert steps[-1] == len(TARGETS)
    assert "\x1b" not in said
    assert "\r" not in said


def test_it_shows_each_target_and_the_failed_ones_with_code_and_hint(said: str) -> None:
    shown = re.findall(r"^ *(\d+)  (done|failed) ", said, re.MULTILINE)
    assert [int(idx) for idx, _ in shown] == list(range(len(TARGETS)))
    for code in LOCAL_FAILURES:
        assert f"failed [{code}]" in said
    assert said.count("hint: ") == len(LOCAL_FAILURES)


@pytest.mark.parametrize(
    "text",
    [
        "A tide table looks like a railway timetable",
        "The lens weighs 840 kilograms",
        "10:tidectl next saltby --below 1.0",
        "Page 2: staying and leaving",
        '{"name":"Ness Light","depth_m":11.2}',
        "une prévision, pas une promesse",
        "an archive's copy of 2024-06-11",
    ],
)
def test_it_shows_what_each_option_gives(said: str, text: str) -> None:
    assert text in said


def test_no_line_is_too_wide_to_read(said: str) -> None:
    assert [line for line in said.splitlines() if len(line) > 100] == []


def test_it_leaves_a_database_and_says_how_to_look_at_it(folder: Path, said: str) -> None:
    assert "DATABASE_URL=sqlite:///demo.sqlite3 make run" in said
    with closing(sqlite3.connect(folder / "demo.sqlite3")) as database:
        (job,) = database.execute("SELECT status, targets_done FROM batch_batchjob").fetchall()
        assert job == ("partial", len(TARGETS))
        assert database.execute("SELECT count(*) FROM batch_batchworker").fetchone() == (0,)


class Page(BaseHTTPRequestHandler):
    asked: list[str] = []
    problem: dict[str, str] = {}

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)

    def do_POST(self) -> None:
        self.send_response(422)
        self.end_headers()
        self.wfile.write(json.dumps(self.problem).encode())


@pytest.fixture
def neighbour() -> Iterator[str]:
    """A server of this machine that nobody opened the guard for."""
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_urls_of_ones_own_are_fetched_behind_the_guard_as_it_comes(
    tmp_path: Path, neighbour: str
) -> None:
    urls = f"{neighbour}/a?x=1&y=2 {neighbour}/b"
    with Program(*DEMO, folder=tmp_path, URLS=urls) as demo:
        assert demo.wait() == 0, demo.said
    assert demo.said.count("failed [blocked_address]") == 2
    assert f"{neighbour}/a?x=1&y=2" in demo.said
    assert "made for this" not in demo.said
    assert Page.asked == []


def test_a_refusal_is_told_in_one_line_with_its_hint(neighbour: str) -> None:
    Page.problem = {"code": "too_many_targets", "detail": "too many targets: 33", "hint": "split"}
    with pytest.raises(Refused) as refused:
        Api(int(neighbour.rpartition(":")[2]), "token").submit([])
    expected = "POST /api/jobs/ was refused with 422 too_many_targets: too many targets: 33 (split)"
    assert str(refused.value) == expected


def test_ctrl_c_ends_everything_that_it_started(tmp_path: Path) -> None:
    with Program(*DEMO, folder=tmp_path) as demo:
        eventually(lambda: "running" in demo.said, 60)
        family = demo.family()
        demo.stop(signal.SIGINT)
        assert demo.wait() == 130
    assert left(family) == []
    assert demo.said.splitlines()[-1] == "sift_batch.demo: interrupted"
    assert "Traceback" not in demo.said


def test_a_database_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    with Program(*DEMO, "--database", "nowhere/demo.sqlite3", folder=tmp_path) as demo:
        assert demo.wait() == 1
    assert "unable to open database file" in demo.said.splitlines()[-1]
    assert "Traceback" not in demo.said
