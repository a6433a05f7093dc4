"""What a target leaves behind in its child costs no other target."""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import psutil
import pytest

from batch.isolation import Isolation
from tests.rules.test_isolation import content_of, isolations, isolators, run

__all__ = ["isolations", "isolators"]


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("die-later", "take-a-while"),
        ("die-later-unseen", "take-a-while"),
        ("alarm-later", "take-a-while"),
        ("dump-later", "take-a-while"),
        ("prof-later", "burn"),
        ("virtual-later", "burn"),
        ("remove-the-folder", "write-a-file"),
        ("write-nothing", "write-a-file"),
    ],
)
def test_what_happens_later_does_not_happen_to_the_next_target(
    isolations: Any, name: str, following: str
) -> None:
    isolation: Isolation = isolations()
    assert run(isolation, name).done
    assert run(isolation, following).done


def test_an_alarm_that_raises_costs_at_most_its_own_target(isolations: Any) -> None:
    isolation: Isolation = isolations()
    for _ in range(3):
        assert run(isolation, "raise-again").code in ("", "internal")
        assert run(isolation, "take-a-while").done


def test_a_child_that_left_a_thread_is_replaced(isolations: Any) -> None:
    isolation: Isolation = isolations()
    pid = content_of(run(isolation, "pid"))
    assert content_of(run(isolation, "pid")) == pid
    run(isolation, "die-later")
    assert content_of(run(isolation, "pid")) != pid


def test_a_death_is_noticed_though_another_process_holds_its_descriptors(isolations: Any) -> None:
    isolation: Isolation = isolations()
    began = time.monotonic()
    assert run(isolation, "die-before-a-grandchild").code == "child_died"
    assert time.monotonic() - began < 5
    assert run(isolation, "fine").done


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGSEGV, "child_died"), (signal.SIGKILL, "target_timeout")]
)
def test_a_crash_is_no_timeout_though_it_is_noticed_late(
    isolations: Any, number: signal.Signals, code: str
) -> None:
    isolation = isolations()
    os.kill(int(content_of(run(isolation, "pid"))), number)
    assert isolation._died(time.monotonic() - 1).code == code


def test_the_end_of_who_reports_ends_no_target(isolations: Any) -> None:
    isolation: Isolation = isolations()
    child = psutil.Process(int(content_of(run(isolation, "pid"))))
    killed = threading.Timer(0.3, psutil.Process(child.ppid()).kill)
    killed.start()
    assert run(isolation, "take-a-while").done
    assert run(isolation, "fine").done
    killed.join()


UNDER_A_LIMIT = """
import resource, django
from dataclasses import replace
django.setup()
from batch import conf
from batch.isolation import Isolator
from batch.types import FetchContext, Target
from tests.fetches import harm
resource.setrlimit(resource.{what}, ({limit}, {limit}))
settings = replace(conf.settings(), child_django=False, target_memory_bytes=2**62)
isolator = Isolator(harm, settings)
isolation = isolator.isolation()
print([isolation.run(FetchContext(), Target("https://e.com/fine")).code for _ in range(3)])
isolation.close()
isolator.close()
"""


@pytest.mark.parametrize(("what", "limit"), [("RLIMIT_CPU", 60), ("RLIMIT_DATA", 2**30)])
def test_a_lower_limit_from_outside_costs_no_target(what: str, limit: int) -> None:
    code = UNDER_A_LIMIT.format(what=what, limit=limit)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "['', '', '']\n", done.stderr
