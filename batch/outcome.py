"""What became of one target, in the form in which it is stored.

:func:`judge` calls the fetch function and turns whatever it does into an :class:`Outcome`:
a fetch function can lose its target, never the job or the process. It knows no Django, since
it also runs in children that have none.
"""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from typing import Any

from batch.errors import FetchError
from batch.text import clean, clean_json, masked, one_line
from batch.words import FetchContext, FetchFunc, Result, Target

MAX_ERROR_CHARS = 1000
MAX_CODE_CHARS = 64
MAX_DETAILS_BYTES = 64 * 1024
MAX_TRACE_CHARS = 20_000
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # json.dumps makes it anew


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """``result`` and ``details`` are JSON texts, or None. ``trace`` goes to the log alone."""

    result: str | None = None
    error: str = ""
    hint: str = ""
    code: str = ""
    details: str | None = None
    trace: str = ""

    @property
    def done(self) -> bool:
        return self.result is not None


def judge(
    fetch: FetchFunc, context: FetchContext, target: Target, result_max_bytes: int
) -> Outcome:
    """Call ``fetch`` for one target. Nothing that it does gets out of here."""
    try:
        return _judged(fetch, context, target, result_max_bytes)
    except BaseException:  # an error whose own class or text raises; it is not touched again
        return failure(
            "internal",
            "the fetch function raised an error that cannot be read",
            "give the error's class a readable name and message",
        )


def _judged(
    fetch: FetchFunc, context: FetchContext, target: Target, result_max_bytes: int
) -> Outcome:
    try:
        return _stored(fetch(context, target), result_max_bytes)
    except FetchError as error:
        return _fetch_failed(error)
    except MemoryError:
        return Outcome(
            code="target_memory",
            error="the target needed more memory than it may use",
            hint="ask for less of it, or raise TARGET_MEMORY_BYTES",
        )
    except BaseException as error:  # SystemExit and its like too: they are the target's
        return Outcome(
            code="internal",
            error=_line(error),
            hint="the fetch function raised this; the worker's log has the traceback",
            trace=_trace(error),
        )


def failure(code: str, error: str, hint: str) -> Outcome:
    return Outcome(code=code, error=error, hint=hint)


def _stored(result: Any, result_max_bytes: int) -> Outcome:
    if not isinstance(result, Result):
        return _bad_result(f"the fetch function returned {type(result).__name__}, not a Result")
    if not isinstance(result.content, str):
        return _bad_result(f"content is of type {type(result.content).__name__}, not text")
    if not isinstance(result.meta, dict):
        return _bad_result(f"meta is of type {type(result.meta).__name__}, not a dict")
    if len(result.content) > result_max_bytes:  # spares the work for what cannot fit
        return _too_large(f"over {len(result.content)}", result_max_bytes)
    try:
        cleaned = {"content": clean(result.content), "meta": clean_json(result.meta, "meta")}
        text = _JSON.encode(cleaned)
    except (ValueError, TypeError, RecursionError) as error:
        return _bad_result(_text_of(error))
    size = len(text.encode())
    if size > result_max_bytes:
        return _too_large(str(size), result_max_bytes)
    return Outcome(result=text)


def _fetch_failed(error: FetchError) -> Outcome:
    code = error.code if isinstance(error.code, str) and error.code else "internal"
    return Outcome(
        error=one_line(_text(error.message), MAX_ERROR_CHARS) or "the fetch failed",
        hint=one_line(_text(error.hint), MAX_ERROR_CHARS),
        code=one_line(code, MAX_CODE_CHARS),
        details=_details(error.meta),
    )


def _details(meta: Any) -> str | None:
    if not meta:
        return None
    try:
        text = _JSON.encode(clean_json(dict(meta), "details"))
    except (ValueError, TypeError, RecursionError) as error:
        return json.dumps({"not_kept": one_line(_text_of(error))})
    if len(text.encode()) > MAX_DETAILS_BYTES:
        return json.dumps({"not_kept": f"details of over {MAX_DETAILS_BYTES} bytes"})
    return text


def _bad_result(error: str) -> Outcome:
    hint = "the fetch function has to return batch.types.Result(content, meta) made of JSON values"
    return failure("bad_result", one_line(error, MAX_ERROR_CHARS), hint)


def _too_large(size: str, limit: int) -> Outcome:
    return failure(
        "result_too_large",
        f"the result has {size} bytes, and {limit} are kept at most",
        "ask for less of it, or raise RESULT_MAX_BYTES",
    )


def _line(error: BaseException) -> str:
    said = one_line(_text_of(error), MAX_ERROR_CHARS)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _text_of(value)


def _text_of(value: Any) -> str:
    """``str(value)``, even of an object whose own ``__str__`` fails."""
    try:
        return str(value)
    except BaseException as error:
        return f"(its text could not be read: {type(error).__name__})"


def _trace(error: BaseException) -> str:
    try:
        text = "".join(traceback.format_exception(error))
    except BaseException as failed:
        return f"(its traceback could not be read: {type(failed).__name__})"
    return masked(clean(text[-MAX_TRACE_CHARS:]))
