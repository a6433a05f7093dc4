"""Spans around a submit, a drain and each fetch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from batch import tracing
from batch.errors import CallerBusyError
from batch.runner import Runner
from batch.signals import job_finished
from batch.testing import FakeFetch
from batch.tracing import spans
from batch.types import FetchContext, Result, Target
from tests.docs.documents import rows, section
from tests.processes import Processes
from tests.rules.jobs import ROOMY, submit, targets, terminal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    monkeypatch.setattr(tracing, "_spans", None)
    provider, memory = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracing.start(provider)
    tracing.start()
    yield memory
    job_finished.disconnect(dispatch_uid="batch.tracing")


def made(exporter: InMemorySpanExporter, name: str = "") -> list[ReadableSpan]:
    """The spans that ended, in their order: all, or those of a name."""
    return [span for span in exporter.get_finished_spans() if name in ("", span.name)]


def of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_job_is_a_submit_a_drain_and_a_fetch_for_each_target(
    exporter: InMemorySpanExporter,
) -> None:
    given = targets(2)
    runner = Runner(FakeFetch(fail=[given[1].url]), ROOMY)
    job_id = runner.submit("ann", "gold", given).id
    runner.drain(job_id)
    submitted, first, second, drain = made(exporter)
    assert (submitted.name, submitted.kind) == ("batch submit", SpanKind.PRODUCER)
    assert of(submitted) == {"batch.job.id": job_id, "batch.job.reused": False}
    assert (drain.name, drain.kind) == ("batch drain", SpanKind.CONSUMER)
    assert of(drain) == {
        "batch.job.id": job_id,
        "batch.job.targets": 2,
        "batch.job.status": "partial",
        "batch.caller.class": "gold",
    }
    assert of(first) == {
        "batch.job.id": job_id,
        "batch.target.idx": 0,
        "batch.target.status": "done",
        "url.full": given[0].url,
    }
    assert (of(second)["batch.target.idx"], of(second)["error.type"]) == (1, "told_to_fail")
    assert drain.context
    for fetch in (first, second):
        assert fetch.name == "batch fetch"
        assert fetch.parent
        assert fetch.parent.span_id == drain.context.span_id
    codes = [span.status.status_code for span in (submitted, first, second, drain)]
    assert codes == [StatusCode.UNSET, StatusCode.UNSET, StatusCode.ERROR, StatusCode.UNSET]


def test_what_a_child_does_is_told_as_well(exporter: InMemorySpanExporter) -> None:
    runner = Runner("tests.fetches.harm", ROOMY)
    given = [Target("https://e.com/exit-1"), Target("https://e.com/content")]
    runner.drain(runner.submit("ann", "", given).id)
    found = [of(span).get("error.type") for span in made(exporter, "batch fetch")]
    assert found == ["child_died", None]


def test_a_job_whose_targets_all_failed_is_an_error(exporter: InMemorySpanExporter) -> None:
    given = targets()
    runner = Runner(FakeFetch(fail=[given[0].url]), ROOMY)
    runner.drain(runner.submit("ann", "", given).id)
    (drain,) = made(exporter, "batch drain")
    assert (of(drain)["batch.job.status"], of(drain)["error.type"]) == ("failed", "job_failed")
    assert drain.status.status_code is StatusCode.ERROR


def test_another_job_that_ends_meanwhile_is_not_this_ones_status(
    exporter: InMemorySpanExporter,
) -> None:
    other = submit()

    def cancelling(context: FetchContext, target: Target) -> Result:
        assert Runner().cancel(other)
        return Result("content")

    Runner(cancelling).drain(submit())
    (drain,) = made(exporter, "batch drain")
    assert of(drain)["batch.job.status"] == "done"


def test_no_secret_gets_into_a_span(exporter: InMemorySpanExporter) -> None:
    def fetch(context: FetchContext, target: Target) -> Result:
        raise ValueError("password=opensesame")

    runner = Runner(fetch, ROOMY)
    url = "https://ann:opensesame@e.com/?token=opensesame&page=2"
    runner.drain(runner.submit("ann", "", [Target(url)]).id)
    (span,) = made(exporter, "batch fetch")
    assert of(span)["url.full"] == "https://***@e.com/?token=***&page=2"
    assert "opensesame" not in "".join(span.to_json() for span in made(exporter))
    assert not span.events


def test_a_refused_submit_and_a_refused_retry_are_errors(exporter: InMemorySpanExporter) -> None:
    old = terminal("failed")
    submit()
    exporter.clear()
    for refused in (
        lambda: Runner().submit("ann", "", targets()),
        lambda: Runner().retry(old),
    ):
        with pytest.raises(CallerBusyError):
            refused()
    for span in made(exporter, "batch submit"):
        assert of(span) == {"error.type": "CallerBusyError"}
        assert span.status.status_code is StatusCode.ERROR
        assert (span.status.description or "").startswith("busy")
    assert len(made(exporter)) == 2


def test_a_submit_that_breaks_is_an_error_without_its_words(
    exporter: InMemorySpanExporter,
) -> None:
    with pytest.raises(ValueError, match="caller"):
        Runner().submit("", "", targets())
    (span,) = made(exporter)
    assert of(span) == {"error.type": "ValueError"}
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)


def test_spans_of_a_fetch_function_in_the_thread_are_within_its_fetch(
    exporter: InMemorySpanExporter,
) -> None:
    seen = []

    def fetch(context: FetchContext, target: Target) -> Result:
        seen.append(trace.get_current_span().get_span_context().span_id)
        return Result("content")

    Runner(fetch, ROOMY).drain(submit(2))
    ids = [span.context.span_id for span in made(exporter, "batch fetch") if span.context]
    assert seen == ids


QUIET = """
import sys
import django
django.setup()
from batch.runner import Runner
from batch.types import Result, Target
runner = Runner(lambda context, target: Result("content"))
assert runner.drain(runner.submit("ann", "", [Target("https://a.test/")]).id)
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""


@pytest.mark.only_on("sqlite")
def test_nothing_is_imported_where_nobody_asked(processes: Processes) -> None:
    process = processes.python("-c", QUIET)
    assert process.wait() == 0, process.err
    assert process.out == "[]\n"


def test_without_the_package_a_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "_spans", None)
    monkeypatch.delitem(sys.modules, "batch.tracing.spans")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ImportError, match="opentelemetry"):
        tracing.start()


def test_every_attribute_is_documented() -> None:
    told = {name for name, *_ in rows(section("docs/operations.md", "Tracing"))}
    names = {"batch submit", "batch drain", "batch fetch"}
    here = {value for name, value in vars(spans).items() if name.isupper() and "." in str(value)}
    assert told == here | names
