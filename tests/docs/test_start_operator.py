"""docs/start/operator.md, followed in a folder of its own, on SQLite and a site of this machine."""

import re
from pathlib import Path

import pytest

from sift_batch.demo.local_site import LocalSite
from tests.demo.runs import Program, run
from tests.docs.documents import example, examples, section, text
from tests.docs.shell import commands

PAGE = "docs/start/operator.md"
# What would ask the person at the terminal, or not end by itself.
UNATTENDED = {"createsuperuser": ["--noinput"], "batch_worker": ["--exit-when-idle"]}
PERSON = {"DJANGO_SUPERUSER_USERNAME": "ann", "DJANGO_SUPERUSER_EMAIL": "ann@example.org"}


@pytest.fixture
def prepared(tmp_path: Path) -> dict[str, str]:
    """The environment that the page's `env` makes, in a folder with the page's settings."""
    (tmp_path / "production.py").write_text(example(PAGE, "production.py"))
    (listed,) = (found.text for found in examples(PAGE, "sh") if found.label == "env")
    env = dict(line.split("=", 1) for line in listed.splitlines()[1:])
    env["DATABASE_URL"] = f"sqlite:///{tmp_path / 'sift.sqlite3'}"
    return {**env, **PERSON, "DJANGO_SUPERUSER_PASSWORD": "only for tests"}


def by_python(words: list[str]) -> list[str]:
    """Its arguments; gunicorn's, so that it does not stay."""
    program, *rest = words
    return rest if program.endswith("/python") else ["-m", "gunicorn", "--check-config", *rest]


def steps() -> list[list[str]]:
    """What the page does in the service's own environment, each command once."""
    shown = [words for found in examples(PAGE, "sh") for words in commands(found)]
    asked = [by_python(words) for words in shown if words[0].startswith("venv/bin/")]
    return [words for i, words in enumerate(asked) if words not in asked[:i]]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_the_steps_lead_to_a_service_that_works(prepared: dict[str, str], tmp_path: Path) -> None:
    site = LocalSite()
    with (tmp_path / "production.py").open("a") as file:
        file.write('SIFT_FETCH["ALLOWED_NETWORKS"] = ["127.0.0.1/32"]\n')
        file.write(f'SIFT_FETCH["ALLOWED_PORTS"] = [{site.port}]\n')
    told = ""
    for step in steps():
        words = [word.replace("https://example.com", site.url) for word in step]
        words += [more for name in UNATTENDED if name in words for more in UNATTENDED[name]]
        with Program(*words, folder=tmp_path, **prepared) as program:
            # No worker lives here at this moment.
            assert program.wait() == (1 if "--here" in words else 0), (words, program.said)
            told += program.said
    site.close()

    assert len(steps()) == 11
    assert "drf_spectacular" not in told
    assert "done 1/1" in told
    assert '"healthy": true' in told
    assert "0 expired jobs would be removed" in told


def test_the_page_for_prometheus_is_beside_the_others(
    prepared: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "doors.py").write_text(example(PAGE, "doors.py"))
    (setting,) = re.findall(r"`(ROOT_URLCONF = .+?)`", text(PAGE))
    with (tmp_path / "production.py").open("a") as file:
        file.write(setting)
    (tmp_path / "look.py").write_text(
        "import django; django.setup()\n"
        "from django.urls import resolve\n"
        "print([resolve(path).func.__module__ for path in ('/metrics/', '/api/health/')])\n"
    )
    told = run("look.py", folder=tmp_path, **prepared)
    assert told.strip() == "['batch.metrics.view', 'batch.api.health']"


def test_the_key_that_it_makes_is_long(tmp_path: Path) -> None:
    (code,) = re.findall(r'python -c "(.+?)"', text(PAGE))
    assert len(run("-c", code, folder=tmp_path).strip()) > 50


def test_the_units_run_what_the_page_shows_and_wait_longer_than_the_grace() -> None:
    shown = [" ".join(words) for found in examples(PAGE, "sh") for words in commands(found)]
    units = {found.label: found.text for found in examples(PAGE, "ini")}
    for unit in units.values():
        (started,) = re.findall(r"^ExecStart=/srv/sift/(.+)$", unit, re.MULTILINE)
        assert started in shown
    worker = units["sift-worker.service"]
    grace, timeout = (int(*re.findall(rf"{name}(\d+)", worker)) for name in ("--grace ", "Sec="))
    assert timeout >= grace + 10


def test_what_it_watches_for_is_logged() -> None:
    table = section(PAGE, "7. What to watch")
    events = {
        event
        for line in table.splitlines()
        if line.startswith("| `")
        for event in re.findall(r"`(\w+)`", line.split(" | ")[0])
    }
    known = set(re.findall(r"^\| `(\w+)` \|", text("docs/operations.md"), re.MULTILINE))
    assert len(events) > 5
    assert events <= known
