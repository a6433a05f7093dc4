"""Targets as people keep them: URLs a line, CSV with a url column, JSONL of targets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from batch.words import OPTION_TYPES

FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def parse_items(text: str, name: str) -> list[Any]:
    """The items of one file; its first line tells which of the three forms it has."""
    # Not splitlines(), which also tears JSON apart where a string holds U+2028.
    lines = text.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("["):
        raise ValueError(f'{name} is a JSON array: write one {{"url": ...}} a line (JSONL)')
    if first.startswith("{"):
        return _jsonl(lines, name)
    if "url" in _header(first, name):  # each cell of a CSV may be quoted, so this comes first
        return _csv(text, name)
    if first.startswith('"'):
        return _jsonl(lines, name)
    if name.lower().endswith(".csv"):
        raise ValueError(
            f"{name} has no column url, separated by commas; its first line is {first[:100]!r}"
        )
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def option_value(name: str, text: str) -> Any:
    """The value that ``text`` means for the option ``name``. Raises ``ValueError``."""
    if OPTION_TYPES.get(name) is dict:
        raise ValueError(f"{name} is an object: give it in the options of a JSONL file's lines")
    if OPTION_TYPES.get(name) is not bool:
        return text
    if text.lower() not in FLAGS:
        raise ValueError(f"{name}={text}: give true or false")
    return FLAGS[text.lower()]


def _header(line: str, name: str) -> list[str]:
    try:
        return [cell.strip().lower() for cell in next(csv.reader([line]), [])]
    except csv.Error as error:
        raise ValueError(f"{name}, line 1: not CSV ({error})") from error


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
    file = io.StringIO(text.lstrip(), newline="")
    rows = csv.DictReader(file, skipinitialspace=True, strict=True)
    items: list[Any] = []
    line = 1
    try:
        rows.fieldnames = [(field or "").strip().lower() for field in rows.fieldnames or []]
        line = rows.line_num + 1
        for row in rows:
            url = (row["url"] or "").strip()
            # What else would be read is a part of what was meant, or more than that.
            if any(row.get(None) or ()):
                raise csv.Error('more cells than columns: put "quotes" around a cell with a comma')
            if "\n" in url:
                raise csv.Error("a URL of several lines: a quotation mark before it is not closed")
            options = {
                option: option_value(option, row[option] or "")
                for option in OPTION_TYPES
                if option != "extra" and row.get(option)
            }
            items.append({"url": url, "options": options})
            line = rows.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}, line {line}: not CSV ({error})") from error
    return items
