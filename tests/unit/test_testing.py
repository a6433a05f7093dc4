"""What host projects test with, in a plain TestCase."""

import pickle
import threading
from typing import Any

import pytest
from django.test import TestCase, TransactionTestCase
from django.utils import timezone

from batch.errors import FetchError
from batch.models import BatchJob
from batch.runner import Runner
from batch.testing import FakeFetch, drain_all
from batch.types import Config, FetchContext, Result, Target
from tests.connection import connection


class InAPlainTestCase(TestCase):
    """Everything happens in the test's thread, transaction and connection."""

    def test_jobs_are_drained_and_the_connection_is_kept(self) -> None:
        fetch = FakeFetch(fail=["https://e.com/b"])
        urls = ["https://e.com/a", "https://e.com/b", "https://e.com/c"]
        job_id = Runner().submit("me", "", [Target(url) for url in urls]).id
        before = connection.connection
        assert drain_all(fetch) == 1
        assert connection.connection is before
        assert connection.in_atomic_block
        assert fetch.urls == urls
        found = Runner().status(job_id)
        assert found is not None
        job, targets = found
        assert job.status == "partial"
        assert [target.status for target in targets] == ["done", "failed", "done"]
        assert targets[0].result == Result("content", {"url": urls[0]})
        assert targets[1].code == "told_to_fail"

    def test_nothing_is_left_from_another_test(self) -> None:
        assert not BatchJob.objects.exists()
        assert drain_all(FakeFetch()) == 0

    def test_jobs_are_drained_in_the_order_of_a_worker(self) -> None:
        fetch = FakeFetch()
        runner = Runner(config=Config(jobs_per_caller=9))
        for i in range(4):
            runner.submit("me", "", [Target(f"https://e.com/{i}")])
        assert drain_all(fetch) == 4
        assert fetch.urls == [f"https://e.com/{i}" for i in range(4)]

    def test_the_setting_names_the_fetch_where_none_is_given(self) -> None:
        with self.settings(BATCH={"FETCH": "tests.fetches.record", "ISOLATION": "thread"}):
            job_id = Runner().submit("me", "", [Target("https://e.com/")]).id
            assert drain_all() == 1
        found = Runner().status(job_id)
        assert found is not None
        assert found[0].status == "done"

    def test_a_child_process_works_here_too(self) -> None:
        batch = {"CHILD_DJANGO": False, "FETCH": "tests.fetches.harm"}
        with self.settings(BATCH=batch):
            given = [Target("https://e.com/exit-1"), Target("https://e.com/fine")]
            job_id = Runner().submit("me", "", given).id
            assert drain_all() == 1
        found = Runner().status(job_id)
        assert found is not None
        assert [target.status for target in found[1]] == ["failed", "done"]

    def test_without_a_fetch_the_job_waits_on(self) -> None:
        job_id = Runner().submit("me", "", [Target("https://e.com/")]).id
        with pytest.raises(Exception, match="FETCH"):
            Runner().drain(job_id)
        found = Runner().job(job_id)
        assert found is not None
        assert (found.status, found.started_at) == ("running", None)


class AfterAFlush(TransactionTestCase):
    def test_the_gate_is_made_again(self) -> None:
        assert Runner().submit("me", "", [Target("https://e.com/")]).id

    test_the_gate_is_made_again_in_the_next_test = test_the_gate_is_made_again


def call(fetch: FakeFetch, url: str) -> Any:
    return fetch(FetchContext(), Target(url))


def test_a_fake_fetch_does_as_it_is_told() -> None:
    fetch = FakeFetch(
        content="c", fail=["f"], raises={"r": KeyError("k")}, results={"odd": 5}, hang=["h"]
    )
    assert call(fetch, "u") == Result("c", {"url": "u"})
    assert call(fetch, "odd") == 5
    with pytest.raises(FetchError) as caught:
        call(fetch, "f")
    assert caught.value.code == "told_to_fail"
    with pytest.raises(KeyError):
        call(fetch, "r")
    threading.Timer(0.05, fetch.release).start()
    assert call(fetch, "h").content == "c"
    assert fetch.urls == ["u", "odd", "f", "r", "h"]


def test_a_fake_fetch_counts_how_many_run_at_once() -> None:
    fetch = FakeFetch(seconds=0.05)
    threads = [threading.Thread(target=call, args=(fetch, "u")) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetch.peak == 3
    call(fetch, "u")
    assert fetch.peak == 3


def test_a_fake_fetch_can_be_sent_to_a_child() -> None:
    fetch = FakeFetch(content="c", fail=["f"])
    call(fetch, "u")
    copy = pickle.loads(pickle.dumps(fetch))
    assert (copy.content, copy.fail, copy.calls, copy.peak) == ("c", {"f"}, [], 0)
    assert call(copy, "u").content == "c"


def test_every_field_of_a_context_has_a_default() -> None:
    assert FetchContext() == FetchContext("", 0, "", "", None)


def test_what_is_told_to_die_fails_alone_in_the_process_of_the_test() -> None:
    url = "https://e.com/0"
    with pytest.raises(FetchError) as failed:
        FakeFetch(die=[url])(FetchContext(), Target(url))
    assert failed.value.code == "child_died"


def break_the_database(context: FetchContext, target: Target) -> Result:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM a_table_that_is_not_there")
    return Result("never")


def break_a_constraint(context: FetchContext, target: Target) -> Result:
    BatchJob.objects.create(status="running", finished_at=timezone.now())
    return Result("never")


class FetchesThatBreakTheTestsTransaction(TestCase):
    def test_they_cost_one_target_each(self) -> None:
        for break_it in (break_the_database, break_a_constraint):

            def fetch(context: FetchContext, target: Target, breaks: Any = break_it) -> Result:
                return breaks(context, target) if context.idx == 1 else Result("content")

            given = [Target(f"https://e.com/{break_it.__name__}/{n}") for n in range(3)]
            job_id = Runner().submit("me", "", given).id
            assert Runner(fetch).drain(job_id)
            found = Runner().status(job_id)
            assert found is not None
            job, targets = found
            assert job.status == "partial"
            assert [target.code for target in targets] == ["", "internal", ""]
