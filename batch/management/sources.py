"""What the commands read targets and options from: arguments, files and standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from batch.sources import option_value, parse_items


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


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """``k=v`` pairs as options. Raises ``ValueError``; unknown names are left to the parser."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, found, value = pair.partition("=")
        if not found:
            raise ValueError(f"--option {pair!r}: write it as name=value")
        options[name] = option_value(name, value)
    return options
