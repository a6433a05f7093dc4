"""For the tests of host projects: a fetch function that does as it is told, and a drain.

::

    from batch.testing import FakeFetch, drain_all

    class MyTest(TestCase):
        def test_it(self):
            fetch = FakeFetch(fail=["https://example.com/b"])
            Runner().submit("me", "", [Target("https://example.com/a")])
            drain_all(fetch)
            self.assertEqual(fetch.urls, ["https://example.com/a"])

Both work in a plain ``TestCase``: everything happens in the test's thread, transaction and
connection.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any

from batch import database
from batch.errors import FetchError
from batch.models import BatchJob
from batch.runner import Runner
from batch.words import Config, FetchContext, FetchFunc, Result, Target


class FakeFetch:
    """A fetch function that records what it was asked, and behaves by URL.

    ``fail`` raises a :class:`FetchError`, ``raises`` the given exception, ``hang`` blocks until
    :meth:`release` (at most ``hang_seconds``), ``die`` ends the child process without a word (in
    the process of the test, it fails as a dead child would); ``results`` gives what to return,
    whatever it is. Any other URL is answered after ``seconds`` with ``content`` and the URL in
    ``meta``.

    ``calls`` are the (context, target) pairs in order, ``peak`` how many ran at once at most.
    Sent to a child process, a copy does the work, and what it records stays there.
    """

    def __init__(
        self,
        *,
        content: str = "content",
        seconds: float = 0.0,
        fail: Collection[str] = (),
        raises: Mapping[str, BaseException] | None = None,
        hang: Collection[str] = (),
        hang_seconds: float = 60.0,
        die: Collection[str] = (),
        results: Mapping[str, Any] | None = None,
    ) -> None:
        self.content = content
        self.seconds = seconds
        self.fail = set(fail)
        self.raises = dict(raises or {})
        self.hang = set(hang)
        self.hang_seconds = hang_seconds
        self.die = set(die)
        self.results = dict(results or {})
        self._made_in = os.getpid()
        self._reset()

    def _reset(self) -> None:
        self.calls: list[tuple[FetchContext, Target]] = []
        self.peak = 0
        self._running = 0
        self._lock = threading.Lock()
        self._released = threading.Event()

    def __getstate__(self) -> dict[str, Any]:
        own = ("calls", "peak", "_running", "_lock", "_released")
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._reset()

    @property
    def urls(self) -> list[str]:
        """The URLs in the order in which they were fetched."""
        return [target.url for _, target in self.calls]

    def release(self) -> None:
        """Let what hangs go on."""
        self._released.set()

    def __call__(self, context: FetchContext, target: Target) -> Result:
        with self._lock:
            self.calls.append((context, target))
            self._running += 1
            self.peak = max(self.peak, self._running)
        try:
            return self._answer(target)
        finally:
            with self._lock:
                self._running -= 1

    def _answer(self, target: Target) -> Result:
        url = target.url
        if self.seconds:
            time.sleep(self.seconds)
        if url in self.hang:
            self._released.wait(self.hang_seconds)
        if url in self.die:
            if os.getpid() != self._made_in:
                os._exit(1)
            raise FetchError("it was told to die", "take it off the list", code="child_died")
        if url in self.raises:
            raise self.raises[url]
        if url in self.fail:
            raise FetchError("it was told to fail", "take it off the list", code="told_to_fail")
        if url in self.results:
            return self.results[url]  # type: ignore[no-any-return]
        return Result(self.content, {"url": url})


def drain_all(fetch: FetchFunc | str | None = None, config: Config | None = None) -> int:
    """Drain every job that waits, in the order in which a worker would; how many."""
    runner = Runner(fetch, config)
    using = database.alias()
    count = 0
    while job_id := BatchJob.objects.using(using).claimable().values_list("id", flat=True).first():
        count += runner.drain(str(job_id))
    return count
