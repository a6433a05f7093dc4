"""docs/start/api.md, followed: its calls and its script, on a server with a worker and a site."""

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from batch.types import parse_targets
from batch.words import OPTION_TYPES
from sift_batch.demo.local_site import LocalSite
from sift_batch.wiring import validate
from tests.concurrency import eventually
from tests.demo.runs import Program, run
from tests.docs.documents import cells, example, examples, rows, section, text
from tests.docs.shell import commands

PAGE = "docs/start/api.md"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """`make run`, with the demo's site within reach of the fetch."""
    folder = tmp_path_factory.mktemp("served")
    site = LocalSite()
    env = {
        "DJANGO_SETTINGS_MODULE": "sift_batch.demo.settings",
        "SIFT_BATCH_DEMO_SITE": site.url,
        "DATABASE_URL": f"sqlite:///{folder / 'start.sqlite3'}",
    }
    with Program("-m", "sift_batch.serve", "--port", "0", folder=folder, **env) as program:
        eventually(lambda: "Ctrl-C stops both" in program.said, 60)
        (token,) = re.findall(r"Bearer (\w{64})", program.said)
        (api,) = set(re.findall(r"(http://[\d.:]+/api)/", program.said))
        yield SimpleNamespace(site=site.url, folder=folder, known={"API": api, "TOKEN": token})
        program.stop()
        assert program.wait() == 0, program.said
    site.close()


def called(words: list[str], known: dict[str, str], site: str) -> tuple[int, str]:
    """What curl would be answered."""
    filled = [re.sub(r"\$(\w+)", lambda name: known[name[1]], word) for word in words]
    filled = [word.replace("https://example.com", site) for word in filled]
    pairs = list(pairwise(filled))
    headers = dict(value.split(": ", 1) for option, value in pairs if option == "-H")
    body = next((value.encode() for option, value in pairs if option == "-d"), None)
    try:
        with urlopen(Request(filled[-1], body, headers), timeout=60) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except HTTPError as error:
        return error.code, error.read().decode()


def test_the_calls_lead_from_a_token_to_a_file(served: SimpleNamespace) -> None:
    known = dict(served.known)

    def answered(words: list[str], shown: str) -> str:
        status, said = called(words, known, served.site)
        assert status < 300, said
        # One wait is over as soon as anything is new.
        return said if '"done"' in said or '"done"' not in shown else ""

    for block in examples(PAGE, "console"):
        calls = [words for words in commands(block) if words[0] == "curl"]
        shown = [line for line in block.text.splitlines() if line.startswith("{")]
        for words, output in zip_longest(calls, shown, fillvalue=""):
            said = eventually(partial(answered, list(words), output))
            for key in re.findall(r'"(\w+)":', output):
                assert f'"{key}":' in said
            if "JOB" not in known:
                (known["JOB"],) = re.findall(r'"id":"([\w-]+)"', said)


def test_the_script_submits_waits_reads_and_exports(
    served: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "read_pages.py").write_text(example(PAGE, "read_pages.py"))
    ((_, script, *_),) = [
        words for shown in examples(PAGE, "sh") for words in commands(shown) if "python" in words
    ]
    urls = [f"{served.site}{path}" for path in ("/slow.html", "/no-such-page.html", "/tides")]
    said = run(script, *urls, folder=tmp_path, **served.known)
    assert "partial 3 of 3\n" in said
    assert "not_found: check the URL" in said
    assert said.count("'content': ") == 2
    assert "no-such-page.html,failed" in (tmp_path / "results.csv").read_text()

    # The same again is the same job, and its results are there at once.
    again = run(script, *urls, folder=tmp_path, **served.known)
    assert again == said.split("partial 3 of 3\n")[1]


def test_the_script_says_why_it_is_refused(served: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "read_pages.py").write_text(example(PAGE, "read_pages.py"))
    env = {**served.known, "TOKEN": "mistyped"}
    with Program("read_pages.py", "https://example.com/", folder=tmp_path, **env) as program:
        assert program.wait() == 1
    assert program.said.startswith("not_authenticated: ")
    assert len(program.said.splitlines()) == 1


def test_the_refusal_that_it_shows_is_the_one_that_comes(served: SimpleNamespace) -> None:
    (shown,) = examples(PAGE, "json")
    targets = [
        "https://example.com/",
        {"url": "https://example.com/a", "options": {"pages": "5-2"}},
    ]
    words = ["-H", "Authorization: Bearer $TOKEN", "-H", "Content-Type: application/json"]
    words += ["-d", json.dumps({"targets": targets}), "$API/jobs/"]
    status, said = called(words, served.known, "https://example.com")
    assert (status, json.loads(said)) == (400, json.loads(shown.text))


def test_every_wish_is_granted_by_options_that_are_taken() -> None:
    wishes = [
        json.loads(cells(line)[1].strip("`").replace("\\|", "|"))
        for line in section(PAGE, "5. Which option for which wish").splitlines()
        if line.startswith("| ") and "{" in line
    ]
    targets = parse_targets([{"url": "https://example.com/", "options": each} for each in wishes])
    assert validate(targets) == []
    assert {name for wish in wishes for name in wish} == {*OPTION_TYPES} - {"extra"}


def test_the_codes_that_it_names_are_known() -> None:
    refused, failed = text(PAGE).split("**A target failed.**")
    named = {code for cell, *_ in rows(refused) for code in re.findall(r"\w+", cell)}
    assert named <= {code for code, *_ in rows(section("docs/api.md", "Errors"))}
    named = {code for cell, *_ in rows(failed) for code in re.findall(r"\w+", cell)}
    assert named <= {code for code, *_ in rows(text("docs/errors.md"))}
