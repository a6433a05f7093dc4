"""Spans for OpenTelemetry, where the host has installed it and asks for them.

Three decorators stand at a submit, a drain and a fetch. Before :func:`start` they call what they
decorate and nothing else, and nothing of OpenTelemetry is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from batch.outcome import Outcome
from batch.words import FetchContext, Submission, Target

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from batch.tracing.spans import Spans

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class _Claim(Protocol):
    @property
    def job_id(self) -> object: ...
    @property
    def caller_class(self) -> str: ...
    @property
    def targets_total(self) -> int: ...


class _HasClaim(Protocol):
    @property
    def claim(self) -> _Claim: ...


D = TypeVar("D", bound=_HasClaim)
_spans: Spans | None = None


def start(tracer_provider: TracerProvider | None = None) -> None:
    """Make spans in this process from now on, by the provider given or the global one, which may
    be set later. Called again it changes nothing. Raises ``ImportError`` without opentelemetry."""
    global _spans
    from batch.tracing.spans import Spans

    _spans = _spans or Spans(tracer_provider)


def submitting(method: Callable[P, Submission]) -> Callable[P, Submission]:
    @wraps(method)
    def traced(*args: P.args, **kwargs: P.kwargs) -> Submission:
        if _spans is None:
            return method(*args, **kwargs)
        with _spans.submit() as told:
            return told(method(*args, **kwargs))

    return traced


def draining(method: Callable[Concatenate[D, P], T]) -> Callable[Concatenate[D, P], T]:
    @wraps(method)
    def traced(drain: D, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if _spans is None:
            return method(drain, *args, **kwargs)
        claim = drain.claim
        with _spans.drain(str(claim.job_id), claim.caller_class, claim.targets_total):
            return method(drain, *args, **kwargs)

    return traced


def fetching(
    method: Callable[Concatenate[S, FetchContext, Target, P], Outcome],
) -> Callable[Concatenate[S, FetchContext, Target, P], Outcome]:
    @wraps(method)
    def traced(
        self: S, context: FetchContext, target: Target, /, *args: P.args, **kwargs: P.kwargs
    ) -> Outcome:
        if _spans is None:
            return method(self, context, target, *args, **kwargs)
        with _spans.fetch(context, target) as told:
            return told(method(self, context, target, *args, **kwargs))

    return traced
