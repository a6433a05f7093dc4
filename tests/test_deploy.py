"""What deploy/ has is what the programs take, and agrees with the code and with itself."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve

from batch.api.health import AliveView, HealthView
from batch.conf import Settings
from tests.docs.test_shell import PROGRAMS
from tests.processes import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUBERNETES = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
UNITS = sorted((DEPLOY / "systemd").iterdir())
# What is read by Django itself, Python and the image of PostgreSQL.
OF_OTHERS = {"DJANGO_SETTINGS_MODULE", "PYTHONUNBUFFERED", "PATH"}
OF_POSTGRES = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
PORT = 8000


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with its arguments."""
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    written = [line for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in written)]


def told(word: str) -> list[str]:
    return [rest for each, rest in dockerfile() if each == word]


def unit(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))


def pods() -> dict[str, dict[str, Any]]:
    """The one container of each workload, by its name, with what its pod says."""
    found = {}
    for each in KUBERNETES:
        if each["kind"] in ("Job", "Deployment"):
            spec = each["spec"]["template"]["spec"]
            (container,) = spec["containers"]
            found[container["name"]] = {**spec, **container}
    return found


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command that something in deploy/ runs, by where it stands."""
    for path in UNITS:
        yield path.name, shlex.split(unit(path)["ExecStart"])
    for name, service in COMPOSE["services"].items():
        if "command" in service:
            yield f"compose {name}", service["command"]
        if "healthcheck" in service:
            yield f"compose {name}, health", service["healthcheck"]["test"][1:]
    for name, pod in pods().items():
        if "command" in pod:
            yield f"kubernetes {name}", pod["command"] + pod.get("args", [])
        probe = pod.get("livenessProbe", {})
        if "exec" in probe:
            yield f"kubernetes {name}, health", probe["exec"]["command"]
    yield "Dockerfile", yaml.safe_load(told("CMD")[0])


COMMANDS = dict(commands())
WORKERS = {place: words for place, words in COMMANDS.items() if "batch_worker" in words}


def given(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


@pytest.mark.parametrize("place", COMMANDS)
def test_every_command_would_be_taken(place: str) -> None:
    program, *words = COMMANDS[place]
    if program == "pg_isready":
        return  # of PostgreSQL's image
    PROGRAMS[Path(program).name](words, "docs/start/operator.md")


def test_each_way_has_a_web_process_a_worker_and_its_migrations() -> None:
    assert set(WORKERS) == {"sift-worker@.service", "compose worker", "kubernetes worker"}
    started = [place for place, words in COMMANDS.items() if Path(words[0]).name == "gunicorn"]
    assert started == ["sift-web.service", "Dockerfile"]
    assert COMMANDS["compose migrate"] == COMMANDS["kubernetes migrate"]
    assert COMMANDS["compose migrate"][-1] == "migrate"


def test_a_worker_is_given_longer_to_stop_than_its_grace_and_that_is_a_targets_longest() -> None:
    patience = {
        "sift-worker@.service": unit(DEPLOY / "systemd/sift-worker@.service")["TimeoutStopSec"],
        "compose worker": COMPOSE["services"]["worker"]["stop_grace_period"],
        "kubernetes worker": str(pods()["worker"]["terminationGracePeriodSeconds"]),
    }
    for place, words in WORKERS.items():
        grace = float(given(words, "--grace"))
        assert grace > Settings.target_timeout_seconds
        assert seconds(patience[place]) >= grace + 10


def test_a_web_process_is_given_longer_to_stop_than_it_waits_for_requests() -> None:
    gunicorn_waits = 30
    pod = pods()["web"]
    pause = float(pod["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > gunicorn_waits + pause
    assert seconds(COMPOSE["services"]["web"]["stop_grace_period"]) > gunicorn_waits
    assert seconds(unit(DEPLOY / "systemd/sift-web.service")["TimeoutStopSec"]) > gunicorn_waits


def test_the_memory_of_a_worker_is_enough_for_what_its_slots_may_use() -> None:
    limits = {
        "sift-worker@.service": unit(DEPLOY / "systemd/sift-worker@.service")["MemoryMax"],
        "compose worker": COMPOSE["services"]["worker"]["mem_limit"],
        "kubernetes worker": pods()["worker"]["resources"]["limits"]["memory"],
    }
    for place, words in WORKERS.items():
        number = re.fullmatch(r"(\d+)(?:G|g|Gi)", limits[place])
        assert number
        slots = int(given(words, "--slots"))
        assert int(number[1]) * 2**30 > slots * Settings.target_memory_bytes


def test_probes_and_ports_are_where_the_web_process_listens() -> None:
    assert told("EXPOSE") == [str(PORT)]
    for place in ("sift-web.service", "Dockerfile"):
        assert given(COMMANDS[place], "--bind").endswith(f":{PORT}")
    (published,) = COMPOSE["services"]["web"]["ports"]
    assert published == f"127.0.0.1:{PORT}:{PORT}"
    health = COMMANDS["compose web, health"][-1]
    (asked,) = re.findall(rf"http://localhost:{PORT}(/\S+)\"", health)
    assert resolve(asked).func.cls is HealthView  # type: ignore[attr-defined]

    web = pods()["web"]
    assert [port["containerPort"] for port in web["ports"]] == [PORT]
    (service,) = [each for each in KUBERNETES if each["kind"] == "Service"]
    assert service["spec"]["ports"][0]["targetPort"] == web["ports"][0]["name"]
    for probe, view in (("readinessProbe", HealthView), ("livenessProbe", AliveView)):
        asked = web[probe]["httpGet"]
        assert resolve(asked["path"]).func.cls is view  # type: ignore[attr-defined]
        assert asked["port"] == web["ports"][0]["name"]


def test_the_probes_of_kubernetes_ask_for_a_host_that_is_allowed() -> None:
    (configured,) = [each["data"] for each in KUBERNETES if each["kind"] == "ConfigMap"]
    for probe in ("readinessProbe", "livenessProbe"):
        (header,) = pods()["web"][probe]["httpGet"]["httpHeaders"]
        assert header == {"name": "Host", "value": configured["ALLOWED_HOSTS"]}
    assert "localhost" in COMPOSE["services"]["web"]["environment"]["ALLOWED_HOSTS"].split(",")


def test_the_metrics_of_a_worker_are_at_the_port_that_its_pod_names() -> None:
    (port,) = pods()["worker"]["ports"]
    assert given(COMMANDS["kubernetes worker"], "--metrics-port") == str(port["containerPort"])


def test_the_environment_is_what_the_settings_read() -> None:
    text = (ROOT / "sift_batch/settings.py").read_text()
    read = set(re.findall(r"^([A-Z_]+) {2,}\S", text.split('"""')[1], re.MULTILINE))
    assert {"DATABASE_URL", "SECRET_KEY", "ALLOWED_HOSTS"} <= read
    for name in ("migrate", "web", "worker"):
        assert set(COMPOSE["services"][name]["environment"]) <= read
    assert set(COMPOSE["services"]["database"]["environment"]) == OF_POSTGRES
    (configured,) = [each["data"] for each in KUBERNETES if each["kind"] == "ConfigMap"]
    assert set(configured) <= read
    assert {line.split("=")[0] for line in told("ENV")} == OF_OTHERS


def test_no_secret_is_in_a_file() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service["environment"].items():
            if re.search("SECRET|PASSWORD|URL", name):
                assert re.search(r"\$\{\w+:\?is not set\}", value), name
    assert [each["kind"] for each in KUBERNETES if each["kind"] == "Secret"] == []
    assert told("ARG") == []


def test_the_image_is_made_of_pinned_parts_and_runs_as_nobody_special() -> None:
    bases = [base.split()[0] for base in told("FROM")]
    assert len(bases) == 2
    for base in bases:
        assert re.fullmatch(r"python:3\.\d+-slim-\w+", base)
    assert told("USER") == ["10001"]
    last_stage = [word for word, _ in dockerfile()]
    last_stage = last_stage[len(last_stage) - last_stage[::-1].index("FROM") :]
    assert last_stage.index("USER") < last_stage.index("CMD")
    (pinned,) = re.findall(r"prometheus-client==\S+", " ".join(told("RUN")))
    assert pinned in (ROOT / "requirements-dev.txt").read_text().splitlines()


def test_the_image_is_built_of_what_the_build_is_given() -> None:
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text()
    given_names = set(re.findall(r"^!(\S+)$", ignore, re.MULTILINE))
    copied = {name for line in told("COPY") if "--from" not in line for name in line.split()[:-1]}
    assert copied == given_names
    assert [name for name in copied if not (ROOT / name).exists()] == []


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_takes_the_units(path: Path, tmp_path: Path) -> None:
    text = path.read_text().replace("/srv/sift/venv/bin", str(Path(sys.executable).parent))
    here = tmp_path / path.name.replace("@", "@1")
    here.write_text(text.replace("/srv/sift", str(tmp_path)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", here], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
