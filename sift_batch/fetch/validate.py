"""What a submit refuses: the options of all its targets, checked at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from batch.types import Options, Problem, Target

from .errors import BadOption
from .jq_run import check_programs
from .limits import MAX_PROBLEMS
from .plan import check_mode, check_pages
from .regex import compile_pattern


def validate(targets: Sequence[Target]) -> list[Problem]:
    """Every option that cannot be used (the first 50), by target and in field order.

    URLs are not judged here: a bad one fails its own target. Each distinct jq program is
    compiled once.
    """
    programs = check_programs(t.options.jq for t in targets if t.options.jq)
    patterns: dict[str, BadOption | None] = {}
    problems: list[Problem] = []
    for index, target in enumerate(targets):
        options = target.options
        found = [_fault(check_mode, options.mode), _fault(check_pages, options)]
        if options.grep:
            if options.grep not in patterns:
                patterns[options.grep] = _fault(compile_pattern, options.grep)
            found.append(patterns[options.grep])
        found.append(programs.get(options.jq))
        found.append(_extra(options))
        problems += [
            Problem(index, bad.field, bad.code, bad.message, bad.hint) for bad in found if bad
        ]
        if len(problems) >= MAX_PROBLEMS:
            break
    return problems[:MAX_PROBLEMS]


def _fault(check: Callable[[Any], Any], value: Any) -> BadOption | None:
    try:
        check(value)
    except BadOption as bad:
        return bad
    return None


def _extra(options: Options) -> BadOption | None:
    if not options.extra:
        return None
    return BadOption(
        "extra", "unknown_option", "this fetch function knows no extra options", "leave out extra"
    )
