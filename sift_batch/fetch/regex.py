"""The option ``grep``'s pattern: RE2, whose matching takes linear time."""

from __future__ import annotations

import re
from typing import Any

from .errors import BadOption
from .limits import MAX_GREP_CHARS, REGEX_MEMORY_BYTES

_CONSTRUCTS = (
    (re.compile(r"\(\?<?[=!]"), "look-around such as (?=…) is not supported; match the text"),
    (re.compile(r"\(\?>"), "atomic groups (?>…) are not supported, nor needed: use (?:…)"),
    (re.compile(r"\(\?P="), "back-references are not supported; spell the text out"),
    (re.compile(r"\(\?\("), "conditions (?(1)…) are not supported; use two alternatives"),
    (re.compile(r"\(\?[a-z]*x"), "the flag x is not supported; leave out spaces and comments"),
    (re.compile(r"\(\?R\)|\(\?\d"), "recursion is not supported"),
    (re.compile(r"\(\?#"), "comments (?#…) are not supported; leave them out"),
    (re.compile(r"\(\?'"), "write a named group as (?P<name>…)"),
)
_REVERSED = re.compile(r"\{(\d+),(\d+)\}")
_ESCAPES = {
    "Z": "\\Z is not supported; use \\z or $ for the end of a line",
    "h": "\\h is not supported; use [ \\t]",
    "R": "\\R is not supported, nor needed: each line is matched by itself",
    "K": "\\K is not supported",
    "k": "back-references such as \\k<name> are not supported; spell the text out",
    "G": "\\G is not supported",
}


def compile_pattern(pattern: str) -> Any:
    """A compiled pattern with ``search``. Raises :class:`BadOption` (``bad_regex``)."""
    import re2  # a compiled library that most targets do not need

    if len(pattern) > MAX_GREP_CHARS:
        raise _bad(f"the pattern is longer than {MAX_GREP_CHARS} characters", "shorten it")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = REGEX_MEMORY_BYTES
    try:
        compiled = re2.compile(pattern, options)
        empty = compiled.search("")
    except re2.error as bad:
        reason = bad.args[0] if bad.args else ""
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise _bad(f"the pattern cannot be read: {text[:200]}", _hint(pattern, text)) from None
    except UnicodeEncodeError:
        raise _bad("the pattern is not valid Unicode", "send it as UTF-8") from None
    if empty is not None:
        raise _bad(
            "the pattern matches the empty string, so it would match every line",
            "use + instead of *, or leave grep out to get the whole text",
        )
    return compiled


def _hint(pattern: str, reason: str) -> str:
    span = _REVERSED.search(reason)
    if span and int(span[1]) > int(span[2]):
        return f"the repeat {span[0]} ends below its beginning; write the smaller number first"
    if "repetition size" in reason:
        return "repeats over 1000 are not supported; use + or a smaller number"
    if "no argument" in reason:
        return "a repeat such as * or + needs something before it; write \\* to mean the character"
    if "repetition operator" in reason or "repeat operator" in reason:
        return "possessive and doubled repeats such as a++ are not supported; use a single +"
    if "invalid escape" in reason:
        escape = reason.rpartition("\\")[2][:1]
        if escape.isdigit():
            return "back-references such as \\1 are not supported; spell the text out"
        return _ESCAPES.get(escape, f"the escape \\{escape} is not supported by RE2")
    if "missing ]" in reason or "missing )" in reason or "unexpected )" in reason:
        return "a bracket is not closed or not opened; write \\[ or \\( to mean the character"
    if "too large" in reason or "too complex" in reason:
        return "the pattern is too large; use fewer or smaller repeats"
    for construct, hint in _CONSTRUCTS:
        if construct.search(pattern):
            return hint
    return "patterns follow RE2's syntax: https://github.com/google/re2/wiki/Syntax"


def _bad(message: str, hint: str) -> BadOption:
    return BadOption("grep", "bad_regex", message, hint)
