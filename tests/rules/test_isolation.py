"""Process isolation: what a fetch function does to its process costs one target alone."""

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from django.core.exceptions import ImproperlyConfigured

from batch import conf
from batch.isolation import ChildFailedError, Isolation, Isolator
from batch.outcome import Outcome
from batch.runner import Runner
from batch.types import FetchContext, Result, Target
from tests import fetches
from tests.concurrency import eventually
from tests.rules.jobs import ROOMY, row, rows

MEGABYTE = 1024**2


@pytest.fixture(scope="module")
def isolators() -> Iterator[dict[Any, Isolator]]:
    """Those that were made, by their settings: starting one takes a second."""
    made: dict[Any, Isolator] = {}
    yield made
    for one in made.values():
        one.close()


@pytest.fixture
def isolations(settings: Any, isolators: dict[Any, Isolator]) -> Iterator[Any]:
    """Makes an isolation of its own for `harm`, under the given settings."""
    opened: list[Isolation] = []

    def make(**batch: Any) -> Isolation:
        key = tuple(sorted(batch.items()))
        if key not in isolators:
            settings.BATCH = {"CHILD_DJANGO": False, "TARGET_TIMEOUT_SECONDS": 30, **batch}
            isolators[key] = Isolator(fetches.harm, conf.settings())
        opened.append(isolators[key].isolation())
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def run(isolation: Isolation, name: str) -> Outcome:
    return isolation.run(FetchContext(), Target(f"https://e.com/{name}"))


def content_of(outcome: Outcome) -> str:
    assert outcome.result is not None, outcome
    return outcome.result.split('"')[3]


def gone(pid: int) -> bool:
    """Whether it runs no more; its parent may not have waited for it yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def children_of(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("exit-0", "it exited with code 0"),
        ("exit-1", "it exited with code 1"),
        ("segfault", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("kill-itself", "SIGKILL"),
    ],
)
def test_a_child_that_dies_costs_its_target_and_the_next_is_done(
    isolations: Any, name: str, told: str
) -> None:
    isolation = isolations()
    died = run(isolation, name)
    assert (died.done, died.code) == (False, "child_died")
    assert told in died.error
    assert died.hint
    assert run(isolation, "fine").done


@pytest.mark.parametrize("name", ["hang", "gil", "stop-itself"])
def test_a_target_over_its_time_is_stopped_whatever_it_does(isolations: Any, name: str) -> None:
    isolation = isolations(TARGET_TIMEOUT_SECONDS=1)
    run(isolation, "fine")
    began = time.monotonic()
    outcome = run(isolation, name)
    assert 0.9 < time.monotonic() - began < 5
    assert (outcome.done, outcome.code) == (False, "target_timeout")
    assert "1 second" in outcome.error
    assert outcome.hint
    assert run(isolation, "fine").done


def test_a_child_that_was_stopped_for_its_time_is_gone(isolations: Any) -> None:
    isolation = isolations(TARGET_TIMEOUT_SECONDS=1)
    pid = int(content_of(run(isolation, "pid")))
    run(isolation, "hang")
    eventually(lambda: gone(pid))


def test_a_target_that_takes_too_much_memory_fails_with_a_code(isolations: Any) -> None:
    isolation = isolations(TARGET_MEMORY_BYTES=200 * MEGABYTE)
    outcome = run(isolation, "grow")
    assert (outcome.done, outcome.code) == (False, "target_memory")
    assert outcome.hint
    assert run(isolation, "fine").done


def test_no_limit_of_memory_is_set_where_it_is_zero(isolations: Any) -> None:
    assert run(isolations(TARGET_MEMORY_BYTES=0), "fine").done


def test_the_limit_is_on_top_of_what_a_child_starts_with(isolations: Any) -> None:
    assert run(isolations(TARGET_MEMORY_BYTES=32 * MEGABYTE, CHILD_DJANGO=True), "fine").done


def test_one_child_serves_one_target_after_the_other(isolations: Any) -> None:
    isolation = isolations()
    pids = {content_of(run(isolation, "pid")) for _ in range(5)}
    assert len(pids) == 1
    assert int(pids.pop()) != os.getpid()


def test_a_child_is_replaced_after_many_targets(isolations: Any) -> None:
    isolation = isolations()
    pids = [content_of(run(isolation, "pid")) for _ in range(401)]
    assert 2 <= len(set(pids)) <= 4
    last = int(pids[-1])
    eventually(lambda: [pid for pid in set(pids) if psutil.pid_exists(int(pid))] == [str(last)])


@pytest.mark.parametrize("name", ["garbage", "short-garbage", "close-everything"])
def test_garbage_in_the_channels_of_a_child_is_no_result(isolations: Any, name: str) -> None:
    isolation = isolations(TARGET_TIMEOUT_SECONDS=1)
    outcome = run(isolation, name)
    assert not outcome.done
    assert outcome.code in ("child_died", "target_timeout")
    fine = run(isolation, "pid")
    assert content_of(fine).isdecimal()


def test_a_copy_that_a_fetch_made_of_its_process_answers_for_nobody(isolations: Any) -> None:
    isolation = isolations()
    for _ in range(3):
        assert content_of(run(isolation, "fork")) == "original"
        assert content_of(run(isolation, "pid")).isdecimal()
        assert content_of(run(isolation, "fine")) == "content"


def test_what_a_killed_child_started_is_killed_with_it(isolations: Any) -> None:
    isolation = isolations(TARGET_TIMEOUT_SECONDS=1)
    grandchild = int(content_of(run(isolation, "grandchild")))
    assert psutil.pid_exists(grandchild)
    run(isolation, "hang")
    eventually(lambda: gone(grandchild))


@pytest.mark.parametrize("end", ["segfault", "exit-0"])
def test_what_a_dead_child_started_does_not_stay_behind(isolations: Any, end: str) -> None:
    isolation = isolations()
    grandchild = int(content_of(run(isolation, "grandchild")))
    run(isolation, end)
    eventually(lambda: gone(grandchild), seconds=5)


def test_what_a_child_started_does_not_outlive_the_isolation(isolations: Any) -> None:
    isolation = isolations()
    grandchild = int(content_of(run(isolation, "grandchild")))
    isolation.close()
    eventually(lambda: gone(grandchild), seconds=5)


def test_a_sigterm_is_left_to_the_worker(isolations: Any) -> None:
    isolation = isolations()
    assert run(isolation, "term-itself").done
    assert run(isolation, "fine").done


def test_a_dead_nursery_is_replaced(isolations: Any) -> None:
    isolation = isolations()
    pid = int(content_of(run(isolation, "pid")))
    nursery = psutil.Process(pid).ppid()
    psutil.Process(nursery).kill()
    run(isolation, "exit-1")
    assert content_of(run(isolation, "pid")) != str(pid)
    assert run(isolation, "fine").done


def test_an_idle_child_that_died_is_replaced_without_loss(isolations: Any) -> None:
    isolation = isolations()
    child = psutil.Process(int(content_of(run(isolation, "pid"))))
    child.kill()
    eventually(lambda: not child.is_running())
    assert run(isolation, "fine").done


def test_a_kill_from_another_thread_ends_the_fetch_in_hand(isolations: Any) -> None:
    isolation = isolations()
    run(isolation, "fine")
    threading.Timer(0.3, isolation.kill).start()
    began = time.monotonic()
    assert run(isolation, "hang").code == "child_died"
    assert time.monotonic() - began < 5


def test_closing_leaves_no_process_behind(isolations: Any) -> None:
    before = set(children_of(os.getpid()))
    isolator = Isolator(fetches.harm, conf.settings())
    isolation = isolator.isolation()
    assert run(isolation, "fine").done
    assert set(children_of(os.getpid())) > before
    isolation.close()
    isolator.close()
    eventually(lambda: set(children_of(os.getpid())) <= before)


@pytest.mark.parametrize("fetch", [lambda context, target: Result(""), threading.Lock().acquire])
def test_a_fetch_that_cannot_be_sent_to_a_child_is_told_of_in_one_line(fetch: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match="cannot be sent to a child") as caught:
        Isolator(fetch, conf.settings())
    assert "\n" not in str(caught.value)


class Unloadable:
    """Can be sent, and cannot be made there."""

    def __reduce__(self) -> Any:
        return (int, ("not a number",))

    def __call__(self, context: FetchContext, target: Target) -> Result:
        return Result("")


def test_a_fetch_that_does_not_load_in_a_child_is_told_of(settings: Any) -> None:
    isolator = Isolator(Unloadable(), conf.settings())
    with pytest.raises(ChildFailedError, match="not a number"):
        isolator.check()
    outcome = isolator.isolation().run(FetchContext(), Target("u"))
    assert (outcome.done, outcome.code) == (False, "child_died")
    assert "not a number" in outcome.error
    isolator.close()


@pytest.mark.django_db(transaction=True)
def test_a_job_with_every_kind_of_harm_ends_with_one_failure_for_each(settings: Any) -> None:
    settings.BATCH = {
        "CHILD_DJANGO": False,
        "TARGET_TIMEOUT_SECONDS": 2,
        "TARGET_MEMORY_BYTES": 200 * MEGABYTE,
    }
    names = ["exit-0", "exit-1", "segfault", "grow", "hang", "garbage"]
    given = [Target(f"https://e.com/{one}") for name in names for one in (name, f"fine-{name}")]
    runner = Runner("tests.fetches.harm", ROOMY)
    job_id = runner.submit("ann", "", given).id
    pid = os.getpid()
    assert runner.drain(job_id)
    assert os.getpid() == pid
    assert [target.status for target in rows(job_id)] == ["failed", "done"] * len(names)
    assert row(job_id).status == "partial"
    codes = [target.code for target in rows(job_id)[::2]]
    assert codes[:5] == ["child_died"] * 3 + ["target_memory", "target_timeout"]
