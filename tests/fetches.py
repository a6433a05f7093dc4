"""Fetch functions for child processes, which import them by name.

Children without Django import this module: it may import nothing of it.
"""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

from batch.types import FetchContext, Result, Target

NO_FUNCTION = "a name that FETCH may not name"


def _grow() -> Any:
    hoard = []
    while True:
        hoard.append(bytearray(16 * 1024 * 1024))


def _segfault() -> Any:
    import ctypes

    ctypes.string_at(0)


def _hold_the_gil() -> Any:
    # Inside one call of C code, so no thread of this process gets a turn.
    return sum(range(10**13))


def _signal_itself(number: signal.Signals) -> Any:
    os.kill(os.getpid(), number)
    return Result("content")


def _fork() -> Any:
    """Both the child and its copy return."""
    pid = os.fork()
    return Result("copy" if pid == 0 else "original")


def _garbage() -> Any:
    for fd in range(3, 256):
        try:
            os.set_blocking(fd, False)
            os.write(fd, b"garbage " * 16)
        except OSError:
            continue
    return Result("content")


def _short_garbage() -> Any:
    for fd in range(3, 256):
        try:
            os.set_blocking(fd, False)
            os.write(fd, (2).to_bytes(8) + b"{}" + (2).to_bytes(8) + b"{}")
        except OSError:
            continue
    return Result("content")


def _close_everything() -> Any:
    os.closerange(0, 256)
    return Result("content")


def _leave_grandchild() -> Any:
    import subprocess

    other = subprocess.Popen(["sleep", "60"])
    return Result(str(other.pid))


def _die_later() -> Any:
    import threading

    threading.Timer(0.3, os._exit, [7]).start()
    return Result("content")


def _alarm_later() -> Any:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    return Result("content")


def _burn_later(timer: int) -> Callable[[], Any]:
    def leave() -> Any:
        signal.setitimer(timer, 0.1)
        return Result("content")

    return leave


def _burn() -> Any:
    ends = time.process_time() + 0.5
    while time.process_time() < ends:
        pass
    return Result("content")


def _dump_later() -> Any:
    import faulthandler

    faulthandler.dump_traceback_later(0.3, exit=True)
    return Result("content")


def _die_later_unseen() -> Any:
    """Of this thread `threading` knows nothing."""
    import _thread

    def die() -> None:
        time.sleep(0.3)
        os._exit(7)

    _thread.start_new_thread(die, ())
    time.sleep(0.05)  # Python counts it once it runs
    return Result("content")


def _raise_again_and_again() -> Any:
    def ring(*_: Any) -> None:
        raise RuntimeError("ring")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.0005)
    time.sleep(0.02)
    return Result("x" * 3_000_000)


def _remove_the_folder() -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
    return Result("content")


def _write_nothing() -> Any:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return Result("content")


def _write_a_file() -> Any:
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(os.getcwd().encode())
    return Result("content")


def _die_before_a_grandchild() -> Any:
    """Its own child is in another session, and holds every descriptor."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(8)
        os._exit(0)
    return _signal_itself(signal.SIGKILL)


def _take_a_while() -> Any:
    time.sleep(1)
    return Result("content")


HARMFUL: dict[str, Callable[[], Any]] = {
    "hang": lambda: time.sleep(600),
    "exit-0": lambda: os._exit(0),
    "exit-1": lambda: os._exit(1),
    "segfault": _segfault,
    "abort": os.abort,
    "grow": _grow,
    "gil": _hold_the_gil,
    "kill-itself": lambda: _signal_itself(signal.SIGKILL),
    "stop-itself": lambda: _signal_itself(signal.SIGSTOP),
    "term-itself": lambda: _signal_itself(signal.SIGTERM),
    "fork": _fork,
    "garbage": _garbage,
    "short-garbage": _short_garbage,
    "close-everything": _close_everything,
    "grandchild": _leave_grandchild,
    "die-later": _die_later,
    "alarm-later": _alarm_later,
    "prof-later": _burn_later(signal.ITIMER_PROF),
    "virtual-later": _burn_later(signal.ITIMER_VIRTUAL),
    "dump-later": _dump_later,
    "die-later-unseen": _die_later_unseen,
    "raise-again": _raise_again_and_again,
    "remove-the-folder": _remove_the_folder,
    "write-nothing": _write_nothing,
    "burn": _burn,
    "write-a-file": _write_a_file,
    "die-before-a-grandchild": _die_before_a_grandchild,
    "take-a-while": _take_a_while,
    "pid": lambda: Result(str(os.getpid())),
}


def harm(context: FetchContext, target: Target) -> Any:
    """Does to its process what the last part of the URL says, or succeeds."""
    name = target.url.rsplit("/", 1)[-1]
    return HARMFUL.get(name, lambda: Result("content"))()


def record(context: FetchContext, target: Target) -> Result:
    """Notes in the file that `question` names that it began, and takes `pages` seconds."""
    if path := target.options.question:
        # One write of one short line: lines of several processes do not mix.
        with open(path, "ab", buffering=0) as file:
            file.write(f"{context.job_id} {context.idx} {os.getpid()}\n".encode())
    if seconds := target.options.pages:
        time.sleep(float(seconds))
    return Result(f"{context.idx}", {"pid": os.getpid()})


def environment(context: FetchContext, target: Target) -> Result:
    """What the process that fetches sees, and whether Django is set up in it."""
    import sys

    apps = sys.modules.get("django.apps")
    ready = bool(apps and apps.apps.ready)
    return Result("", {"environment": dict(os.environ), "django": ready})


def use_the_database(context: FetchContext, target: Target) -> Result:
    """Asks the database for the job, as a host's own fetch function may."""
    from batch.models import BatchJob

    return Result(BatchJob.objects.get(id=context.job_id).status)


def hold_the_gil(context: FetchContext, target: Target) -> Result:
    """Notes its process, then stays in one call of C code."""
    record(context, target)
    return Result(str(_hold_the_gil()))


def large(context: FetchContext, target: Target) -> Result:
    """A megabyte."""
    return Result("x" * 1_000_000)


_left: list[Any] = []


def _leave_threads() -> None:
    import threading

    for _ in range(2):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


LEAKS: dict[str, Callable[[], object]] = {
    "": lambda: None,
    "descriptors": lambda: [os.open(os.devnull, os.O_RDONLY) for _ in range(20)],
    "memory": lambda: _left.append(b"x" * 10 * 1024**2),
    "threads": _leave_threads,
}


def leak(context: FetchContext, target: Target) -> Result:
    """As `record`, and leaves behind what `mode` names."""
    LEAKS[target.options.mode]()
    return record(context, target)


def alone(context: FetchContext, target: Target) -> Result:
    """As :func:`record`, and fails if another fetch of the same host goes on meanwhile."""
    import fcntl

    host = target.url.split("/")[2]
    with open(f"{target.options.question}.{host}", "ab") as file:
        try:
            # Given back by the system when this process ends, in whatever way.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return Result("together")
        return record(context, target)


def record_much(context: FetchContext, target: Target) -> Result:
    """As `record`, with half a megabyte that no database can make small."""
    result = record(context, target)
    return Result(f"{result.content} {os.urandom(250_000).hex()}", result.meta)
