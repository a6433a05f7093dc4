"""What the documents say is what the code does."""

import ast
import configparser
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import load_command_class

from batch import conf, errors, signals, types
from batch.runner import Runner
from sift_batch.fetch import FetchConfig
from tests.docs.documents import DOCUMENTS, README, example, rows, section, text
from tests.processes import ROOT

COMMANDS = sorted(path.stem for path in (ROOT / "batch/management/commands").glob("[!_]*.py"))
# What every command of Django's has.
COMMON = {"help", "version", "verbosity", "settings", "pythonpath", "traceback"}
COMMON |= {"no_color", "force_color", "skip_checks"}
LEVELS = {"info": "info", "warning": "warning", "error": "error", "exception": "error"}


def run(name: str, label: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": f"example_{label}"}
    exec(compile(example(name, label), f"{name} ({label})", "exec"), namespace)
    return namespace


def test_every_key_of_batch_is_documented_with_its_default() -> None:
    documented = {
        key: ast.literal_eval(default)
        for key, default, *_ in rows(section("docs/settings.md", "BATCH"))
    }
    defaults = {
        field.name.upper(): {} if field.default is MISSING else field.default
        for field in fields(conf.Settings)
    }
    assert documented == defaults
    assert tuple(documented) == conf.KEYS


def test_every_key_of_sift_fetch_is_documented_with_its_default() -> None:
    documented = {
        key: ast.literal_eval(default)
        for key, default, *_ in rows(section("docs/settings.md", "SIFT_FETCH"))
    }
    defaults = {
        field.name.upper(): list(field.default)
        if isinstance(field.default, tuple)
        else field.default
        for field in fields(FetchConfig)
        if field.name != "resolver"  # for tests alone: a setting cannot hold it
    }
    assert documented == defaults


def test_every_command_is_documented() -> None:
    headings = re.findall(r"^### (\w+)$", section("docs/operations.md", "Commands"), re.MULTILINE)
    assert sorted(headings) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_documented_with_its_default(name: str) -> None:
    parser = load_command_class("batch", name).create_parser("manage.py", name)
    actual = {}
    for action in parser._actions:
        if action.dest in COMMON:
            continue
        shown = action.option_strings[-1] if action.option_strings else action.dest
        required = not action.option_strings and action.nargs != "?"
        actual[shown] = "" if required else repr(action.default)
    documented = {
        option: default for option, default, *_ in rows(section("docs/operations.md", name))
    }
    assert documented == actual


def test_every_check_is_documented() -> None:
    documented = {check for check, *_ in rows(section("docs/operations.md", "Checks"))}
    sources = (path.read_text() for path in (ROOT / "batch/checks").glob("*.py"))
    assert documented == set(re.findall(r'"(batch\.[EWI]\d{3})"', "".join(sources)))


def logged() -> Iterator[tuple[str, str, str]]:
    """The events that the code logs: name, logger, level."""
    for path in [*(ROOT / "batch").rglob("*.py"), *(ROOT / "sift_batch").rglob("*.py")]:
        tree = ast.parse(path.read_text())
        loggers = {
            node.targets[0].id: node.value.args[0].value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func).endswith("getLogger")
            and isinstance(node.value.args[0], ast.Constant)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in loggers and node.func.attr in LEVELS:
                (event, *_) = node.args
                assert isinstance(event, ast.Constant), f"{path}: {ast.unparse(node)}"
                level = LEVELS[node.func.attr]
                yield event.value, str(loggers[owner.id]), level


def test_every_log_event_is_documented_with_its_logger_and_level() -> None:
    documented = [
        (event, logger, level)
        for event, logger, level, *_ in rows(section("docs/operations.md", "Log events"))
    ]
    assert set(documented) == set(logged())
    assert len(documented) == len(set(documented))


def test_every_step_of_the_pipeline_is_documented() -> None:
    documented = {event for event, *_ in rows(section("docs/options.md", "Seeing what happens"))}
    told = {
        event
        for path in (ROOT / "sift_batch" / "fetch").rglob("*.py")
        for event in re.findall(r'\bstep\(\s*"(\w+)"', path.read_text())
    }
    assert len(told) > 10
    assert told == documented


def test_every_public_type_is_documented_with_its_fields() -> None:
    documented = {name: cells for name, *cells in rows(section("docs/python.md", "Types"))}
    assert set(documented) == set(types.__all__) - {"parse_targets"}
    for name, (described, *_) in documented.items():
        kind = getattr(types, name)
        if inspect.isclass(kind):
            listed = re.findall(r"(?:^|`)(\w+)(?:=|`|$)", described.split("`;")[0])
            assert listed == [field.name for field in fields(kind)], name


def test_every_method_of_the_runner_and_every_error_and_signal_is_documented() -> None:
    methods = {name.split("(")[0] for name, *_ in rows(section("docs/python.md", "Runner"))}
    public = {name for name in vars(Runner) if not name.startswith("_")}
    assert methods <= public
    documented = {name for name, *_ in rows(section("docs/python.md", "Errors"))}
    assert documented == {name for name in vars(errors) if name.endswith("Error")}
    documented = {name for name, *_ in rows(section("docs/python.md", "Signals"))}
    assert documented == {n for n, s in vars(signals).items() if type(s).__name__ == "Signal"}


@pytest.mark.django_db
@pytest.mark.parametrize("label", ["parse", "submit", "signal", "fetch"])
def test_the_examples_of_python_md_run(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals.job_finished, "receivers", [])
    run("docs/python.md", label)


# The example of a test is one: pytest finds it by this name.
BatchTest = run("docs/python.md", "test")["BatchTest"]


def test_the_seven_options_are_in_the_readme() -> None:
    documented = [name for name, *_ in rows(section("README.md", "The seven options"))]
    assert sorted(documented) == sorted({f.name for f in fields(types.Options)} - {"extra"})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_between_documents_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)#\s]*)(?:#[\w-]*)?\)", text(name)):
        if link and "://" not in link:
            assert (ROOT / name).parent.joinpath(link).is_file(), link


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_to_a_place_in_a_document_find_it(name: str) -> None:
    for link, place in re.findall(r"\]\(([^)#\s]*)#([\w-]+)\)", text(name)):
        path = (ROOT / name).parent / link if link else ROOT / name
        headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
        assert place in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_to_elsewhere_are_whole_and_secure(name: str) -> None:
    for link in re.findall(r"\]\((\w+:[^)]*)\)", text(name)):
        parts = urlsplit(link)
        assert parts.scheme == "https", link
        assert re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", parts.netloc), link


def test_every_document_is_reached_from_the_readme() -> None:
    reached, ahead = set(), {README}
    while ahead:
        name = ahead.pop()
        reached.add(name)
        for link in re.findall(r"\]\(([^)#:\s]+\.md)", text(name)):
            ahead |= {str((ROOT / name).parent.joinpath(link).resolve().relative_to(ROOT))}
        ahead -= reached
    # The front page and the changes, as the site has them.
    assert set(DOCUMENTS) - reached == {"docs/index.md", "docs/changelog.md"}


def test_the_words_of_the_glossary_are_in_order() -> None:
    words = re.findall(r"^\*\*(.+?)\.\*\*", text("docs/glossary.md"), re.MULTILINE)
    assert words == sorted(set(words), key=str.lower)


def test_every_variable_of_the_environment_is_documented() -> None:
    documented = {
        name for name, *_ in rows(section("docs/settings.md", "The project's environment"))
    }
    read = set(re.findall(r"environ\S*?\W([A-Z_]+)\W", text("sift_batch/settings.py")))
    # dj_database_url reads this one by itself.
    assert documented == {*read, "DATABASE_URL"}


def test_every_extra_is_in_the_readme() -> None:
    package = configparser.ConfigParser()
    package.read(ROOT / "setup.cfg")
    named = re.findall(r"`(\w+)`|\[(\w+)\]'", section(README, "Into your own project"))
    assert {*package["options.extras_require"]} <= {a or b for a, b in named}
