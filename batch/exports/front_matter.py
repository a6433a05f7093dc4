"""A target as a Markdown file: what is known about it as YAML front matter, then its content.

Every text is written as a quoted string in which whatever is not plain is escaped. So no title
or URL can end the front matter, add a key or be taken for something else, and readers of YAML
1.1 and 1.2 agree.
"""

from __future__ import annotations

import json
import re
from typing import Any

from batch.results import Row

COLUMNS = ("job", "idx", "url", "status", "options", "started_at", "finished_at")
# Control characters, what one version of YAML takes for a line's end, and what none allows.
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# Those that no version of YAML takes for true, false or null.
_PLAIN_KEY = re.compile("(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_]{0,40}")
LONG_KEY_CHARS = 120  # YAML finds a longer key only where a question mark announces it


def document(row: Row) -> str:
    """The file; its content is whatever stands behind the line that ends the front matter."""
    meta = row["meta"] or {}
    known = {name: row[name] for name in COLUMNS}
    if title := meta.get("title"):
        known = {"title": title, **known}
    lines = [*_lines(known), "meta:", *_lines(meta, "  ")] if meta else _lines(known)
    return "\n".join(["---", *lines, "---", row["content"] or ""])


def _lines(mapping: dict[str, Any], indent: str = "") -> list[str]:
    return [_line(key, value, indent) for key, value in mapping.items()]


def _line(key: str, value: Any, indent: str) -> str:
    if _PLAIN_KEY.fullmatch(key):
        return f"{indent}{key}: {_yaml(value)}"
    if len(key) <= LONG_KEY_CHARS:
        return f"{indent}{_text(key)}: {_yaml(value)}"
    return f"{indent}? {_text(key)}\n{indent}: {_yaml(value)}"


def _pair(key: str, value: Any) -> str:
    announced = "? " if len(key) > LONG_KEY_CHARS else ""
    return f"{announced}{_text(key)}: {_yaml(value)}"


def _yaml(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        # YAML 1.1 knows a number with an exponent only by its point.
        return re.sub(r"^(-?\d+)e", r"\1.0e", json.dumps(value))
    if isinstance(value, dict):
        return "{" + ", ".join(_pair(key, inner) for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    return json.dumps(value)


def _text(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
