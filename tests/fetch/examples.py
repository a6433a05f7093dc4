"""The examples of docs/options.md: what is served for them, and what comes of it.

``python -m tests.fetch.examples`` writes their outcomes into the document anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from batch.types import Result

from .kit import Web, fetch, reply
from .pdfs import pdf

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
_EXAMPLE = re.compile(
    r"(\nIn:\n\n```json\n(?P<target>.+?)\n```\n\nOut[^\n]*\n\n```(?P<kind>json)?\n)(?P<out>.*?)(\n```\n)",
    re.DOTALL,
)
_TOLD = ("recovered", "archived_at", "archive_url", "live_error", "status_code", "final_url")

BRIDGE = """<html lang=en><head><title>The bridge - Town news</title></head><body>
<nav><a href=/>Home</a> <a href=/news>News</a></nav>
<article><h1>The bridge</h1>
<p>The committee met on <strong>Tuesday</strong> and decided that the bridge will be rebuilt with
stone from the old quarry, says <a href="/paper">the paper</a>.</p>
<h2>What it costs</h2>
<ul><li>stone and lime: 12,000</li><li>the carters: 900</li></ul>
<p>Work begins when the frost is over, and until then the ferry takes everybody across for nothing,
in the morning and in the evening alike.</p></article>
<footer>All rights reserved. <a href=/terms>Terms</a></footer></body></html>"""
MINUTES = """Minutes of the town council, 3 March

1. Roads
The bridge will be rebuilt.
It stays open for walkers.
Carts go round by the ford.

2. Other business
Stone comes from the old quarry.
The carter was asked for a price.

The meeting ended at nine."""
GUIDE = """<html><head><title>Guide</title></head><body><main><h1>Guide</h1>
<p>Everything that you need to know before you order from us, and what to do when something has
gone wrong on its way to you.</p>
<h2>Delivery</h2><p>Parcels leave the house on the day of the order and take two days.</p>
<h2>Returns</h2><p>Send back what you do not like within thirty days, in its own box.</p>
<h3>Refunds</h3><p>You get your money back within fourteen days.</p>
<h2>Opening hours</h2><p>We are there from eight to six, except on Sundays.</p></main></body>
</html>"""
BRIDGES = {"bridges": [{"name": "Old bridge", "arches": 4}, {"name": "New bridge", "arches": 1}]}
SITE = {
    "/news/bridge": reply(BRIDGE, "text/html"),
    "/report.pdf": reply(
        pdf("The bridge", "The bridge was built in 1843.", "It has four arches.", "Costs"),
        "application/pdf",
    ),
    "/bridges": reply(json.dumps(BRIDGES), "application/json"),
    "/minutes.txt": reply(MINUTES, "text/plain"),
    "/guide": reply(GUIDE, "text/html"),
}
CAPTURE = "20230101000000"


def rewritten(page: str, web: Web) -> str:
    """The document with the outcome of each example as it is now."""
    site = web.serve(SITE)
    archive = web.serve(_archived)

    def run(match: re.Match[str]) -> str:
        target = json.loads(match["target"])
        url = urlsplit(target["url"])
        served = f"http://{url.hostname}:{site.port}"
        config = web.config(archive_url=f"http://web.archive.org:{archive.port}", attempts=1)
        result = fetch(served + url.path, config, **target["options"])
        shown = _facts(result) if match["kind"] else result.content
        shown = shown.replace(served, f"https://{url.hostname}")
        shown = shown.replace(f"http://web.archive.org:{archive.port}", "https://web.archive.org")
        return f"{match[1]}{shown}{match[5]}"

    return _EXAMPLE.sub(run, page)


def _facts(result: Result) -> str:
    return json.dumps({name: result.meta[name] for name in _TOLD}, indent=2)


def _archived(request: bytes) -> Any:
    path = request.split(b" ", 2)[1].decode()
    if path.startswith("/web/"):
        return reply(BRIDGE, "text/html")
    port = re.search(r"gone\.example%3A(\d+)", path)
    assert port
    captures = [
        ["timestamp", "original"],
        [CAPTURE, f"http://gone.example:{port[1]}/page"],
    ]
    return reply(json.dumps(captures), "application/json")


if __name__ == "__main__":
    made = Web()
    PAGE.write_text(rewritten(PAGE.read_text("utf-8"), made), "utf-8")
    made.stop()
