"""A small web site on this machine, with what a batch meets on the web.

Its pages are files under ``site/``. What a file cannot be (a PDF, a slow answer, a redirect, an
old encoding, an archive's index) is made here.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from sift_batch.demo.pdf import pdf

FOLDER = Path(__file__).parent / "site"
SLOW_SECONDS = 1.5
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
}
REDIRECTS = {
    "/tides": "/articles/reading-a-tide-table.html",
    # Where cloud machines keep their credentials: a page that leads a fetcher there means harm.
    "/prize": "http://169.254.169.254/latest/meta-data/",
}
ARCHIVED_AT = "20240611083000"


class LocalSite:
    """Serves from threads of this process until it is closed."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, name="site", daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path in REDIRECTS:
            self._redirect(REDIRECTS[url.path])
        elif url.path == "/archive/cdx/search/cdx":
            self._captures(parse_qs(url.query).get("url", [""])[0])
        elif url.path in ROUTES:
            self._answer(*ROUTES[url.path]())
        elif url.path.startswith(f"/archive/web/{ARCHIVED_AT}id_/"):
            self._file(f"/archive/{Path(url.path).name}")
        else:
            self._file(url.path)

    def _file(self, path: str) -> None:
        file = (FOLDER / path.lstrip("/")).resolve()
        kind = TYPES.get(file.suffix)
        if kind is None or not file.is_relative_to(FOLDER.resolve()) or not file.is_file():
            self._answer(b"<h1>Not found</h1>", TYPES[".html"], HTTPStatus.NOT_FOUND)
        else:
            self._answer(file.read_bytes(), kind)

    def _captures(self, url: str) -> None:
        """An archive's index, in the form of the Wayback Machine's."""
        rows = [["timestamp", "original"]]
        if (FOLDER / "archive" / Path(urlsplit(url).path).name).is_file():
            rows.append([ARCHIVED_AT, url])
        self._answer(json.dumps(rows).encode(), TYPES[".json"])

    def _redirect(self, to: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the demo."""


def _home() -> tuple[bytes, str]:
    return (FOLDER / "index.html").read_bytes(), TYPES[".html"]


def _slow() -> tuple[bytes, str]:
    time.sleep(SLOW_SECONDS)
    return (FOLDER / "slow.html").read_bytes(), TYPES[".html"]


def _old_encoding() -> tuple[bytes, str]:
    """The file is UTF-8, so that editors keep it; the page is not, and its header is silent."""
    text = (FOLDER / "fr/marees.html").read_text(encoding="utf-8")
    return text.encode("cp1252"), "text/html"


def _rules() -> tuple[bytes, str]:
    text = (FOLDER / "mooring-rules.txt").read_text(encoding="utf-8")
    return pdf(text.split("\f")), "application/pdf"


ROUTES: dict[str, Callable[[], tuple[bytes, str]]] = {
    "/": _home,
    "/slow.html": _slow,
    "/fr/marees.html": _old_encoding,
    "/mooring-rules.pdf": _rules,
}
