"""What the demo asks for: each option once, and each kind of failure that one meets early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def local_targets(site: str) -> list[dict[str, Any]]:
    """Targets on the local site at ``site``, with their options."""
    return [
        _target(f"{site}/articles/reading-a-tide-table.html"),
        _target(
            f"{site}/articles/the-lamp-comes-home.html",
            question="Which glassworks ground it?",
        ),
        _target(f"{site}/articles/counting-seals.html", mode="text"),
        _target(f"{site}/docs/tidectl.html", grep="--below", context=True),
        _target(f"{site}/mooring-rules.pdf", pages="2"),
        _target(
            f"{site}/data/stations.json",
            jq=".stations[] | select(.depth_m > 5) | {name, depth_m}",
        ),
        _target(f"{site}/data/readings.jsonl", jq="select(.level_m > 4.9) | .time"),
        _target(f"{site}/fr/marees.html"),
        _target(f"{site}/tides", grep="twelfth"),
        _target(f"{site}/slow.html"),
        _target(f"{site}/ferry-to-ness.html", recover=True),
        _target(f"{site}/no-such-page.html"),
        _target(f"{site}/app.html"),
        _target(f"{site}/prize"),
        _target("http://169.254.169.254/latest/meta-data/"),
    ]


LOCAL_FAILURES = {
    "not_found": 1,
    "needs_javascript": 1,
    "blocked_redirect": 1,
    "blocked_address": 1,
}
"""How many targets fail on the local site, by code: anything else is a fault of ours."""


def targets_of(urls: Sequence[str]) -> list[dict[str, Any]]:
    """Targets for URLs that somebody named, without options."""
    return [_target(url) for url in urls]


def _target(url: str, **options: Any) -> dict[str, Any]:
    return {"url": url, "options": options}
