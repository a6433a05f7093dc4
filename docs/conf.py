"""The documents as a site, for `make docs`. What it shows is readable without it."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

project = html_title = "sift batch"
extensions = ["myst_parser"]
html_theme = "furo"
html_copy_source = html_show_copyright = False
myst_heading_anchors = 3

# These two stand outside of this folder, for whoever looks at the repository first.
PAGES = {"README": "/index.md", "CHANGELOG": "/changelog.md"}
OUTSIDE = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//"""
    r"""|url\(\s*["']?(?:https?:)?//"""
)


def lead_to_pages(*event: Any) -> None:
    """Links to the two lead to their pages."""
    *_, source = event
    source[0] = re.sub(
        rf"\]\((?:\.\./)*({'|'.join(PAGES)})\.md", lambda found: f"]({PAGES[found[1]]}", source[0]
    )


def refuse_other_servers(app: Sphinx, error: Exception | None) -> None:
    """A page is whole without the network, and nobody else learns who reads it."""
    for path in Path(app.outdir).rglob("*.*"):
        if path.suffix in {".html", ".css"} and (found := OUTSIDE.search(path.read_text())):
            getLogger(__name__).warning("%s loads from another server: %s", path, found[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", lead_to_pages)
    app.connect("include-read", lead_to_pages)
    app.connect("build-finished", refuse_other_servers)
