"""What the documents say is what the code does."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from django.core.management import load_command_class
from django.utils.module_loading import import_string

from batch import checks, conf, errors, signals, types
from batch.models import JobStatus, TargetState
from batch.runner import Runner
from sift_batch.fetch import FetchConfig
from tests.processes import ROOT

COMMANDS = sorted(path.stem for path in (ROOT / "batch/management/commands").glob("[!_]*.py"))
# What every command of Django's has.
COMMON = {"help", "version", "verbosity", "settings", "pythonpath", "traceback"}
COMMON |= {"no_color", "force_color", "skip_checks"}
LEVELS = {"info": "info", "warning": "warning", "error": "error", "exception": "error"}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level or above it."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n", text(name), re.MULTILINE)
    assert found, f"{name} has no heading {heading!r}"
    rest = text(name)[found.end() :]
    return re.split(rf"^#{{1,{len(found[1])}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(markdown: str) -> Iterator[list[str]]:
    """The cells of its tables' rows whose first cell is code."""
    for line in markdown.splitlines():
        if line.startswith("| `"):
            # A bar within code is not the end of a cell.
            cells = re.split(r"(?<=\s)\|(?=\s)", line.strip("| "))
            yield [cell.strip("` ") for cell in cells]


def block(name: str, label: str) -> str:
    """The Python example whose first line is the comment `label`."""
    found = re.search(rf"^```python\n# {re.escape(label)}\n(.*?)^```$", text(name), re.M | re.S)
    assert found, f"{name} has no example {label!r}"
    return found[1]


def run(name: str, label: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": f"example_{label}"}
    exec(compile(block(name, label), f"{name} ({label})", "exec"), namespace)
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
    assert documented == set(re.findall(r'"(batch\.[EWI]\d{3})"', inspect.getsource(checks)))


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


def test_every_status_has_its_place_in_the_diagrams() -> None:
    for heading, statuses in (("A job", JobStatus), ("A target", TargetState)):
        diagram = section("docs/states.md", heading)
        arrows = re.findall(r"^    (\S+) --> ([^:\n]+)", diagram, re.MULTILINE)
        assert {name for ends in arrows for name in ends} - {"[*]"} == set(statuses.values)


def test_every_arrow_of_the_diagrams_is_explained_and_its_moves_exist() -> None:
    for heading in ("A job", "A target"):
        shown = section("docs/states.md", heading)
        diagram, table = shown.split("```\n", 1)
        arrows = {
            letter
            for line in re.findall(r": (\w(?:, \w)*)$", diagram, re.M)
            for letter in line.split(", ")
        }
        assert set(re.findall(r"^\| (\w) \|", table, re.M)) == arrows
        for move in re.findall(r"`(batch\.moves\.[\w.]+)`", table):
            assert callable(import_string(move))


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


@pytest.mark.parametrize(
    "path",
    [Path("README.md"), *sorted(p.relative_to(ROOT) for p in (ROOT / "docs").glob("*.md"))],
    ids=str,
)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]*)(?:#[\w-]*)?\)", text(str(path))):
        if link and "://" not in link:
            assert (ROOT / path.parent / link).is_file(), link


def test_links_to_a_place_in_a_document_find_it() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link, place in re.findall(r"\]\(([^)#\s]*)#([\w-]+)\)", path.read_text()):
            headings = re.findall(
                r"^#+ (.+)$", (path.parent / link if link else path).read_text(), re.M
            )
            assert place in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


def test_what_the_documents_make_can_be_made() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.MULTILINE))
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        made = re.findall(r"(?:`|^)(?:[A-Z_]+=\S+ )?make ([a-z-]+)", path.read_text(), re.MULTILINE)
        assert set(made) <= targets, path
