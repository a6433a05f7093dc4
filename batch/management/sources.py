"""What ``batch_submit`` reads: URLs a line, CSV with a url column, JSONL of targets."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from batch.words import OPTION_TYPES

FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_items(arguments: Sequence[str]) -> list[Any]:
    """Items for ``parse_targets`` from arguments that are URLs, files or ``-``.

    Raises ``ValueError`` and ``OSError`` with what to mend.
    """
    items: list[Any] = []
    for argument in arguments:
        if argument.lower().startswith(("http://", "https://")):
            items.append(argument)
        elif argument == "-":
            items += parse_items(sys.stdin.read(), "standard input")
        elif "://" in argument:
            raise ValueError(f"{argument}: only http and https URLs are fetched")
        else:
            try:
                text = Path(argument).read_text(encoding="utf-8-sig")
            except (FileNotFoundError, IsADirectoryError) as error:
                raise ValueError(
                    f"{argument!r} is no file; a URL begins with http:// or https://"
                ) from error
            except UnicodeDecodeError as error:
                raise ValueError(f"{argument} is not UTF-8 text: save it as UTF-8") from error
            items += parse_items(text, argument)
    return items


def parse_items(text: str, name: str) -> list[Any]:
    """The items of one file; its first line tells which of the three forms it has."""
    # Not splitlines(), which also tears JSON apart where a string holds U+2028.
    lines = text.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith(("{", '"')):
        return _jsonl(lines, name)
    if first.startswith("["):
        raise ValueError(f'{name} is a JSON array: write one {{"url": ...}} a line (JSONL)')
    header = [cell.strip().lower() for cell in next(csv.reader([first]), [])]
    if "url" in header:
        return _csv(text, name)
    if name.lower().endswith(".csv"):
        raise ValueError(
            f"{name} has no column url, separated by commas; its first line is {first[:100]!r}"
        )
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """``k=v`` pairs as options. Raises ``ValueError``; unknown names are left to the parser."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, found, value = pair.partition("=")
        if not found:
            raise ValueError(f"--option {pair!r}: write it as name=value")
        options[name] = _value(name, value)
    return options


def _value(name: str, text: str) -> Any:
    if OPTION_TYPES.get(name) is dict:
        raise ValueError(f"{name} is an object: give it in the options of a JSONL file's lines")
    if OPTION_TYPES.get(name) is not bool:
        return text
    if text.lower() not in FLAGS:
        raise ValueError(f"{name}={text}: give true or false")
    return FLAGS[text.lower()]


def _jsonl(lines: Sequence[str], name: str) -> list[Any]:
    items = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            items.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f'{name}, line {number}: not JSON ({error}); write {{"url": ...}} a line'
            ) from error
    return items


def _csv(text: str, name: str) -> list[Any]:
    """Columns that bear an option's name are options; others are left alone."""
    rows = csv.DictReader(io.StringIO(text.lstrip(), newline=""), skipinitialspace=True)
    rows.fieldnames = [(field or "").strip().lower() for field in rows.fieldnames or []]
    items: list[Any] = []
    try:
        for row in rows:
            options = {
                option: _value(option, row[option] or "")
                for option in OPTION_TYPES
                if option != "extra" and row.get(option)
            }
            items.append({"url": (row["url"] or "").strip(), "options": options})
    except csv.Error as error:
        raise ValueError(f"{name}, line {rows.line_num}: not CSV ({error})") from error
    return items
