"""Jobs whose targets go through lanes, and a fetch function that sees how they do."""

import itertools
import threading
import time
from collections import defaultdict
from typing import Any

from batch.models import BatchJob
from batch.runner import Runner
from batch.types import Result, Target
from tests.rules.jobs import ROOMY

_numbers = itertools.count()


def lane(target: Target) -> str:
    """`a` of `https://a.example/...`, and none of a URL that begins so."""
    return target.url.split("/")[2].removesuffix(".example").removeprefix("none")


def submit(*names: str) -> str:
    """A job of one target in each of these lanes."""
    number = next(_numbers)
    given = [Target(f"https://{name}.example/{number}/{i}") for i, name in enumerate(names)]
    return Runner(config=ROOMY).submit("ann", "", given).id


class Visits:
    """A fetch function that notes when it was in which lane. The first ``together`` visits end
    only when all of these have begun."""

    def __init__(self, seconds: float = 0.02, together: int = 1) -> None:
        self.seconds = seconds
        self._together = threading.Barrier(together)
        self.peak: dict[str, int] = defaultdict(int)
        self.spans: list[tuple[str, float, float]] = []
        self.answers: dict[int, Exception] = {}
        self._inside: dict[str, int] = defaultdict(int)
        self._lock = threading.Lock()

    def __call__(self, context: Any, target: Target) -> Result:
        name = lane(target)
        begin = time.monotonic()
        with self._lock:
            number = len(self.spans)
            self.spans.append((name, begin, begin))
            self._inside[name] += 1
            self.peak[name] = max(self.peak[name], self._inside[name])
        if number < self._together.parties:
            self._together.wait(30)
        time.sleep(self.seconds)
        with self._lock:
            self._inside[name] -= 1
            self.spans[number] = (name, begin, time.monotonic())
        if answer := self.answers.get(number):
            raise answer
        return Result(f"{context.idx}")

    def gaps(self, name: str) -> list[float]:
        """Seconds from the end of each visit to the beginning of the next."""
        own = sorted(span[1:] for span in self.spans if span[0] == name)
        return [begin - end for (_, end), (begin, _) in itertools.pairwise(own)]


def all_done() -> bool:
    return not BatchJob.objects.exclude(status="done").exists()
