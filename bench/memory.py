"""The memory of a worker, beside that of the others."""

from __future__ import annotations

import time
from contextlib import ExitStack

from bench.kinds import PACKAGES, peers, runners, up
from bench.measure import Say, Scale, Section, Table
from bench.places import Places
from bench.systems import Peer

ITEMS = 320
SETTLE_SECONDS = 1.0
REMARK = (
    "Proportional set size (PSS) of the worker and all its processes, after"
    f" {ITEMS} items: memory that several of them share is counted once. What other processes of"
    " the measurement share with them, Python itself mostly, is counted in part. The runner's"
    " project has Django's admin and the REST API installed; the peers' projects have nothing but"
    " the peer. A worker of django-tasks-db does one task at a time, so eight at once are eight."
)


def memory(places: Places, scale: Scale, say: Say) -> Section:
    kinds = [kind for kind in (*runners(places)[:2], *peers(places)) if "reusing" not in kind.name]
    lines = []
    with up(kinds, places, say) as systems:
        for name, peer in systems.items():
            say(f"the memory of {name}")
            one, eight = _used(peer, 1), _used(peer, 8)
            lines.append([name, f"{one[0]:.0f} MB", f"{eight[0]:.0f} MB", f"{one[1]}, {eight[1]}"])
    heads = ("", "one at a time", "eight at once", "processes")
    return Section("Memory of a worker", [], REMARK, Table(heads, lines), beside=PACKAGES)


def _used(peer: Peer, concurrency: int) -> tuple[float, int]:
    """Megabytes, and how many processes have them."""
    peer.fill(ITEMS, concurrency)
    with ExitStack() as stack:
        programs = [stack.enter_context(program) for program in peer.kind.workers(concurrency)]
        peer.wait(ITEMS)
        time.sleep(SETTLE_SECONDS)
        family = [process for program in programs for process in program.family()]
        return sum(process.memory_full_info().pss for process in family) / 1e6, len(family)
