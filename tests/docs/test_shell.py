"""Every command that a document shows is one that its program would take."""

import argparse
import configparser
import importlib.util
import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from celery.bin.celery import celery as celery_program
from click import Context
from django.core.management import get_commands, load_command_class
from django.urls import resolve
from gunicorn.config import Config

from batch.types import parse_targets
from sift_batch.wiring import validate
from tests.docs.documents import DOCUMENTS, examples, text
from tests.docs.shell import shown
from tests.processes import ROOT

VARIABLES = {"$API": "http://localhost:8000/api", "$JOB": "0190", "$TOKEN": "3ed011fe"}


def package() -> configparser.ConfigParser:
    known = configparser.ConfigParser()
    known.read(ROOT / "setup.cfg")
    return known


def make(words: list[str], document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.MULTILINE))
    assert {word for word in words if "=" not in word} <= targets


def pip(words: list[str], document: str) -> None:
    assert words.pop(0) == "install"
    for word in words:
        if word.endswith(".txt"):
            assert (ROOT / word).is_file()
        elif word != "-r":
            wheel = re.fullmatch(r"dist/sift_batch-([\d.]+)-py3-none-any\.whl\[(.+)\]", word)
            assert wheel, word
            assert wheel[1] == package()["metadata"]["version"]
            assert set(wheel[2].split(",")) <= set(package()["options.extras_require"])


def python(words: list[str], document: str) -> None:
    first, *rest = words
    if first == "manage.py":
        manage(rest, document)
    elif first == "-c":
        compile(rest[0], document, "exec")
    elif first == "-m":
        module, *rest = rest
        if module == "django":
            manage(rest, document)
        assert importlib.util.find_spec(module), module
    else:
        assert first in {example.label for example in examples(document, "python")}


def manage(words: list[str], document: str) -> None:
    name, *rest = words
    command = load_command_class(get_commands()[name], name)
    if not rest and name.startswith("batch_"):
        return  # the running text names it
    command.create_parser("manage.py", name).parse_args(
        [word if word != "URL" else "https://example.com/" for word in rest]
    )


def curl(words: list[str], document: str) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    for flag in "fOJ":
        parser.add_argument(f"-{flag}", action="store_true")
    for option in "Hduo":
        parser.add_argument(f"-{option}", action="append", default=[])
    parser.add_argument("url")
    given = parser.parse_args(words)
    for name, value in VARIABLES.items():
        given.url = given.url.replace(name, value)
    view = resolve(urlsplit(given.url).path).func
    assert hasattr(view.view_class, "post" if given.d else "get")  # type: ignore[attr-defined]
    assert given.O == given.J
    for header in given.H:
        assert re.match(
            r"(Authorization: Bearer \$TOKEN|If-None-Match: .+|Content-Type: .+)$", header
        )
    for body in map(json.loads, given.d):
        assert "Content-Type: application/json" in given.H
        assert validate(parse_targets(body["targets"], body.get("options"))) == []


def gunicorn(words: list[str], document: str) -> None:
    Config().parser().parse_args(words)


def systemctl(words: list[str], document: str) -> None:
    action, *units = words
    assert action in {"start", "stop"}
    known = {example.label for example in examples(document, "ini")}
    assert {f"{unit}.service" for unit in units} <= known


def client_generator(words: list[str], document: str) -> None:
    """It reads what the command before it wrote, by a file that the page shows."""
    verb, *options = words
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert (verb, set(given)) == ("generate", {"--path", "--config"})
    assert f"-o {given['--path']}" in text(document)
    assert f"\n# {given['--config']}: " in text(document)


def celery(words: list[str], document: str) -> None:
    """Of the options those of Celery's own commands, read without loading a project."""
    app, project, verb, *options = words
    assert (app, project) == ("-A", "myproject")
    command = celery_program.commands[verb]
    command.make_parser(Context(command)).parse_args(options)


def variables(words: list[str], document: str) -> None:
    """Whatever is set here, the commands after it use."""
    assert words


PROGRAMS: dict[str, Callable[[list[str], str], None]] = {
    "make": make,
    "pip": pip,
    "python": python,
    "python3": python,
    "manage.py": manage,
    "curl": curl,
    "gunicorn": gunicorn,
    "openapi-python-client": client_generator,
    "celery": celery,
    "systemctl": systemctl,
    "export": variables,
    "set": variables,
    ".": variables,
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_would_be_taken(document: str) -> None:
    for words in shown(document):
        program = words[0].split("/")[-1] or words[0]
        try:
            PROGRAMS[program](words[1:], document)
        except Exception as error:
            raise AssertionError(f"{document}: {words}: {error}") from error
