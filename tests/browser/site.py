"""The web site that the worker fetches from. A test decides when its slow pages answer."""

import threading
from collections import defaultdict

from tests.fetch.kit import Server, article, reply

HTML = "text/html; charset=utf-8"
# What a page that means harm would say. Whatever of it runs leaves a trace in the window.
HOSTILE = (
    "\"'></pre></textarea></title><script>window.hacked = 1</script>"
    '<img src=x id=hacked onerror="window.hacked = 1"><svg onload="window.hacked = 1">'
)
TEXT = "<p>The tide turns twice a day, and the lamp of the harbour is lit at dusk.</p>"
PAGES = {
    "/tides": (article("<h1>Tides</h1>", 5 * TEXT, head="<title>Tides of the bay</title>"), HTML),
    "/stations.json": ('[{"name": "Skerry"}, {"name": "Ness"}]', "application/json"),
    "/long.txt": ("\n".join(f"{n}: high water" for n in range(200)), "text/plain"),
    "/hostile.txt": (f"{HOSTILE} {HOSTILE}", "text/plain"),
    "/hostile.html": (
        article(
            f"<h1>{HOSTILE.replace('<', '&lt;')}</h1>",
            5 * TEXT,
            head=f"<title>{HOSTILE.replace('<', '&lt;')}</title>",
        ),
        HTML,
    ),
}


class Site:
    """Each path below `/held/` answers once a test has let it go; `/missing/...` are not there
    until they are put there."""

    def __init__(self) -> None:
        self._holds = True
        self._gates: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        self._pages = dict(PAGES)
        self._server = Server(self._answer)
        self.port = self._server.port
        self.url = f"http://127.0.0.1:{self.port}"

    def let_go(self, *paths: str) -> None:
        for path in paths:
            self._gates[path].set()

    def put(self, path: str) -> None:
        self._pages[path] = PAGES["/tides"]

    def let_all_go(self) -> None:
        """And hold nothing from now on."""
        self._holds = False
        self.let_go(*self._gates)

    def close(self) -> None:
        self._server.stop()

    def _answer(self, request: bytes) -> bytes:
        path = request.split(b" ", 2)[1].decode().partition("?")[0]
        if path.startswith("/held/"):
            if self._holds:
                self._gates[path].wait(30)
            return reply(*PAGES["/tides"])
        page = self._pages.get(path)
        return reply(*page) if page else reply("Not here.", HTML, "404 Not Found")
