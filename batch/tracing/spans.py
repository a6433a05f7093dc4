"""The spans themselves: their names, attributes and what is an error of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider

from batch.errors import BatchError
from batch.outcome import Outcome
from batch.signals import job_finished
from batch.text import one_line
from batch.words import FetchContext, Submission, Target

JOB_ID = "batch.job.id"
JOB_REUSED = "batch.job.reused"
JOB_STATUS = "batch.job.status"
JOB_TARGETS = "batch.job.targets"
CALLER_CLASS = "batch.caller.class"
TARGET_IDX = "batch.target.idx"
TARGET_STATUS = "batch.target.status"
# These two are OpenTelemetry's own.
URL = "url.full"
ERROR_TYPE = "error.type"

MAX_URL_CHARS = 2000
# The job that this thread drains, and its span.
_drained: ContextVar[tuple[str, Span] | None] = ContextVar("batch_drained", default=None)


class Spans:
    """Makes a span around each submit, drain and fetch of this process."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._tracer = trace.get_tracer("batch", tracer_provider=provider)
        job_finished.connect(_note_status, dispatch_uid="batch.tracing")

    @contextmanager
    def submit(self) -> Iterator[Callable[[Submission], Submission]]:
        with self._span("batch submit", SpanKind.PRODUCER, {}) as span:

            def told(submission: Submission) -> Submission:
                span.set_attributes({JOB_ID: submission.id, JOB_REUSED: submission.reused})
                return submission

            try:
                yield told
            except BatchError as error:
                _fail(span, type(error).__name__, str(error))
                raise

    @contextmanager
    def drain(self, job_id: str, caller_class: str, targets: int) -> Iterator[None]:
        known = {JOB_ID: job_id, CALLER_CLASS: caller_class, JOB_TARGETS: targets}
        with self._span("batch drain", SpanKind.CONSUMER, known) as span:
            before = _drained.set((job_id, span))
            try:
                yield
            finally:
                _drained.reset(before)

    @contextmanager
    def fetch(
        self, context: FetchContext, target: Target
    ) -> Iterator[Callable[[Outcome], Outcome]]:
        known = {
            JOB_ID: context.job_id,
            TARGET_IDX: context.idx,
            URL: one_line(target.url, MAX_URL_CHARS),
        }
        with self._span("batch fetch", SpanKind.INTERNAL, known) as span:

            def told(outcome: Outcome) -> Outcome:
                span.set_attribute(TARGET_STATUS, "done" if outcome.done else "failed")
                if not outcome.done:
                    _fail(span, outcome.code, outcome.error)
                return outcome

            yield told

    @contextmanager
    def _span(self, name: str, kind: SpanKind, known: dict[str, Any]) -> Iterator[Span]:
        # An exception's own words and traceback may hold secrets, so neither goes into a span.
        with self._tracer.start_as_current_span(
            name,
            kind=kind,
            attributes=known,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BatchError:
                raise  # told already
            except BaseException as error:
                _fail(span, type(error).__name__, "")
                raise


def _fail(span: Span, kind: str, description: str) -> None:
    span.set_attribute(ERROR_TYPE, kind)
    span.set_status(StatusCode.ERROR, one_line(description) or None)


def _note_status(job_id: str, status: str, **more: Any) -> None:
    """A job ended: by this thread's own drain, unless it is another one's that was cancelled."""
    found = _drained.get()
    if found and found[0] == job_id:
        span = found[1]
        span.set_attribute(JOB_STATUS, status)
        if status == "failed":
            _fail(span, "job_failed", "every target failed, or the job could not be drained")
