"""The caps hold however many submit at once: threads and processes, one caller and many."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batch.errors import CallerBusyError, JobsBusyError
from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Submission
from tests.concurrency import eventually, rounds, run_threads
from tests.processes import Processes
from tests.rules.jobs import targets, terminal

pytestmark = pytest.mark.django_db(transaction=True)

SUBMITTER = """
import json, sys, time, django
from pathlib import Path
django.setup()
from batch.runner import Runner
from batch.types import Target
from tests.concurrency import run_threads

number, threads, rounds, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
for i in range(rounds):
    def submit(thread):
        name = f"{number}-{thread}"
        url = f"https://e.com/{i}/{name}"
        caller = name if i % 2 else "the same"
        return Runner().submit(caller, "", [Target(url)]).id
    Path(folder, f"ready-{i}-{number}").touch()
    while not Path(folder, f"go-{i}").exists():
        time.sleep(0.005)
    answers = run_threads(threads, submit)
    told = [type(one).__name__ if isinstance(one, BaseException) else "job" for one in answers]
    Path(folder, f"part-{i}-{number}").write_text(json.dumps(told))
    Path(folder, f"part-{i}-{number}").rename(Path(folder, f"done-{i}-{number}"))
"""


def clear() -> None:
    BatchJob.objects.all().delete()


def outcomes(answers: list[Any], refusal: type[Exception]) -> int:
    """How many got a job; anything but that and the refusal is an error."""
    for answer in answers:
        assert isinstance(answer, Submission | refusal), answer
    return sum(isinstance(answer, Submission) for answer in answers)


def many_callers() -> None:
    given = [targets(2) for _ in range(30)]
    answers = run_threads(30, lambda i: Runner().submit(f"caller {i}", "", given[i]))
    assert outcomes(answers, JobsBusyError) == 8
    assert BatchJob.objects.live().count() == 8


def one_caller() -> None:
    given = [targets(2) for _ in range(10)]
    answers = run_threads(10, lambda i: Runner().submit("ann", "", given[i]))
    assert outcomes(answers, CallerBusyError) == 1
    assert BatchJob.objects.live().count() == 1


def submits_and_retries() -> None:
    ended = [terminal("failed", f"caller {i}") for i in range(8)]
    given = [targets(1) for _ in range(16)]

    def one(i: int) -> Submission:
        if i % 2:
            return Runner().retry(ended[i // 2])
        return Runner().submit(f"caller {i // 2}", "", given[i])

    answers = run_threads(16, one)
    for answer in answers:
        assert isinstance(answer, Submission | CallerBusyError | JobsBusyError), answer
    live = BatchJob.objects.live()
    assert live.count() == 8
    assert len(set(live.values_list("caller", flat=True))) == 8


RACES = [many_callers, one_caller, submits_and_retries]


@pytest.mark.parametrize("race", RACES)
def test_no_race_of_threads_passes_a_cap(race: Callable[[], None]) -> None:
    for _ in range(2):
        clear()
        race()


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("race", RACES)
def test_no_race_of_threads_passes_a_cap_in_many_rounds(race: Callable[[], None]) -> None:
    for _ in range(rounds(50)):
        clear()
        race()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_race_of_processes_passes_a_cap(processes: Processes, tmp_path: Path) -> None:
    count, threads, times = 6, 5, rounds(50)
    started = [
        processes.python("-c", SUBMITTER, str(i), str(threads), str(times), str(tmp_path))
        for i in range(count)
    ]

    def all_say(word: str, i: int) -> bool:
        assert all(one.popen.poll() in (None, 0) for one in started), started[0].err
        return all((tmp_path / f"{word}-{i}-{number}").exists() for number in range(count))

    for i in range(times):
        eventually(lambda i=i: all_say("ready", i), 60)
        (tmp_path / f"go-{i}").touch()
        eventually(lambda i=i: all_say("done", i), 60)
        told = [
            answer
            for number in range(count)
            for answer in json.loads((tmp_path / f"done-{i}-{number}").read_text())
        ]
        refusal, most = ("JobsBusyError", 8) if i % 2 else ("CallerBusyError", 1)
        assert set(told) <= {"job", refusal}, told
        assert told.count("job") == BatchJob.objects.live().count() == most
        clear()
    assert [one.wait(60) for one in started] == [0] * count
