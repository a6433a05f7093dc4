"""The overview above the list of jobs."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from batch.admin import overview as module
from batch.admin import sample
from batch.admin.charts import bars, columns
from batch.admin.overview import overview
from batch.admin.sample import Sample, _fair_share
from batch.models import BatchJob, BatchTarget, BatchWorker, JobStatus, TargetState
from tests.connection import connection
from tests.databases import ALIAS

from .conftest import listed, make_job, shown

pytestmark = pytest.mark.django_db

SCRIPT = "<script>alert(1)</script>"


def seen() -> dict[str, Any]:
    return overview(connection.alias)


def rows(chart: Any) -> dict[str, str]:
    return {bar.label: bar.told for bar in chart}


def started(**fields: Any) -> BatchJob:
    given = {"started_at": timezone.now(), "status": JobStatus.DONE, "targets": 1, "done": 1}
    return make_job(**{**given, **fields})


def test_live_jobs_are_counted_by_status(root: Client) -> None:
    make_job()
    make_job()
    make_job(status=JobStatus.QUEUED)
    started()
    assert rows(seen()["live"]) == {"queued": "1", "running": "2"}
    assert "Live jobs: 3" in shown(root, listed())


def test_jobs_that_ended_are_those_of_24_hours() -> None:
    now = timezone.now()
    for hours in (1, 23, 25):
        started(finished_at=now - timedelta(hours=hours))
    started(status=JobStatus.FAILED)
    make_job()
    assert rows(seen()["ended"]) == {"done": "2", "failed": "1", "partial": "0", "cancelled": "0"}
    assert seen()["ended_total"] == "3"


def test_a_count_that_stopped_says_so(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENDED", 2)
    for _ in range(3):
        started()
    assert "Ended in 24 hours: at least 2" in " ".join(shown(root, listed()).split())


def test_targets_a_minute_are_those_that_ended_lately() -> None:
    job = started(targets=60, done=60)
    now = timezone.now()
    BatchTarget.objects.filter(job=job, idx__lt=10).update(finished_at=now - timedelta(minutes=10))
    BatchTarget.objects.filter(job=job, idx__gte=55).update(finished_at=now - timedelta(hours=1))
    found = seen()
    assert found["rate"] == "9.0"  # 45 in five minutes
    assert (found["in_minutes"], found["most_in_minute"]) == ("55 targets", "45")
    assert len(found["columns"]) == 30
    assert [column.height for column in found["columns"] if column.height != "0.00"] == [
        "22.22",
        "100.00",
    ]


def test_failures_are_counted_by_code(root: Client) -> None:
    started(targets=4, done=4, failed=3, status=JobStatus.PARTIAL)
    BatchTarget.objects.filter(idx=0).update(code="timeout")
    assert rows(seen()["failures"]) == {"http_status": "2", "timeout": "1"}
    assert "Failures by code: 3" in shown(root, listed())


def test_codes_beyond_the_chart_are_told_as_a_number() -> None:
    started(targets=9, done=9, failed=9, status=JobStatus.FAILED)
    for idx in range(9):
        BatchTarget.objects.filter(idx=idx).update(code=f"code_{idx}")
    assert len(seen()["failures"]) == 6
    assert seen()["failures_more"] == "3"


def test_hosts_are_ranked_by_the_time_their_targets_take() -> None:
    job = started(targets=5, done=5)
    end = timezone.now()
    for idx, (url, seconds) in enumerate(
        [
            ("https://slow.example/a", 30),
            ("https://slow.example:8443/b", 10),
            ("http://me:secret@quick.example/", 1),
            ("no URL", 99),
            ("http://[bad", 99),
        ]
    ):
        BatchTarget.objects.filter(job=job, idx=idx).update(
            url=url, started_at=end - timedelta(seconds=seconds), finished_at=end
        )
    assert rows(seen()["hosts"]) == {
        "slow.example": "20 s, 2 targets",
        "quick.example": "1.0 s, 1 target",
    }


def test_workers_alive_and_their_slots_are_counted(settings: Any) -> None:
    settings.BATCH = {"CLAIM_SECONDS": 30}
    now = timezone.now()
    for name, age in (("a", 1), ("b", 20), ("dead", 40)):
        moment = now - timedelta(seconds=age)
        BatchWorker.objects.create(name=name, slots=4, busy=3, started_at=moment, seen_at=moment)
    found = seen()
    assert found["workers"] == "2"
    assert rows(found["slots"]) == {"slots in use": "6 of 8"}


def test_where_no_workers_are_needed_it_says_so(root: Client, settings: Any) -> None:
    assert "not drained by workers" not in shown(root, listed())
    settings.BATCH = {"DISPATCH": "thread"}
    assert "not drained by workers" in shown(root, listed())


def test_an_empty_database_has_an_overview(root: Client) -> None:
    page = " ".join(shown(root, listed()).split())
    assert "Live jobs: 0" in page
    assert "Targets a minute: 0.0" in page
    assert "of 0 targets of the 0 jobs started last" in page


def test_the_sample_is_the_jobs_started_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "MOST_JOBS", 2)
    now = timezone.now()
    jobs = [
        started(created_at=now - timedelta(minutes=made), started_at=now - timedelta(minutes=begun))
        for made, begun in ((3, 1), (2, 2), (1, 3))
    ]
    make_job(created_at=now)  # not started
    assert {job.id for job in Sample.of_latest_jobs(ALIAS).jobs_started} == {
        job.pk for job in jobs[:2]
    }
    assert seen()["sampled_jobs"] == "2 jobs"


@pytest.mark.parametrize(
    ("numbers", "most", "share"),
    [([], 10, 10), ([3, 3], 10, 10), ([100], 10, 10), ([1, 100, 100], 11, 5), ([5] * 4, 10, 2)],
)
def test_each_job_has_a_fair_share_of_the_sample(numbers: list[int], most: int, share: int) -> None:
    assert _fair_share(numbers, most) == share
    assert sum(min(number, share) for number in numbers) <= most


def test_of_a_large_job_the_last_outcomes_are_taken_and_the_page_says_so(
    root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "MOST_TARGETS", 25)
    large = started(targets=100, done=60, failed=60, status=JobStatus.RUNNING)
    BatchTarget.objects.filter(job=large, idx__lt=35).update(code="old")
    started(targets=5, done=5)
    found = seen()
    assert found["sampled_targets"] == "25 targets"
    assert rows(found["failures"]) == {"http_status": "20"}
    page = " ".join(shown(root, listed()).split())
    assert "Targets a minute: at least 5.0" in page
    assert "of large jobs only the last targets that ended are among them" in page


def test_a_target_that_has_not_ended_is_in_no_chart() -> None:
    started(targets=5, done=2, status=JobStatus.RUNNING)
    BatchTarget.objects.filter(idx=2).update(
        status=TargetState.RUNNING, started_at=timezone.now() - timedelta(hours=1)
    )
    assert seen()["sampled_targets"] == "2 targets"
    assert rows(seen()["hosts"])["example.com"].endswith(", 2 targets")


def queries() -> int:
    with CaptureQueriesContext(connection) as captured:
        seen()
    return len(captured)


def test_the_number_of_queries_is_fixed() -> None:
    started()
    clock = connection.vendor in ("postgresql", "mysql")
    assert queries() == 5 + clock
    for number in range(100):
        started(targets=1 + number % 5, done=1, status=JobStatus.CANCELLED)
        BatchWorker.objects.create(name=str(number))
    make_job(targets=50, done=10, started_at=timezone.now())
    assert queries() == 5 + clock


def test_who_searches_filters_or_leafs_on_sees_the_rows_alone(root: Client) -> None:
    for _ in range(101):
        make_job(targets=0)
    assert "batch-overview" in shown(root, listed())
    for query in ({"q": "user:1"}, {"status": "running"}, {"p": 2}):
        assert "batch-overview" not in shown(root, listed(), **query)


def test_only_who_may_see_jobs_sees_it(staff: Callable[..., Client]) -> None:
    assert "batch-overview" in shown(staff("view_batchjob"), listed())


def test_hosts_and_codes_are_no_html(root: Client) -> None:
    job = started(targets=2, done=2, failed=1, status=JobStatus.PARTIAL)
    BatchTarget.objects.filter(job=job).update(url=f"https://{SCRIPT}x/", code=SCRIPT)
    page = shown(root, listed())
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;") == 2


def test_the_charts_are_written_the_same_in_every_language(root: Client) -> None:
    started()
    with translation.override("de"), override_settings(LANGUAGE_CODE="de"):
        page = shown(root, listed())
    for number in re.findall(r'<rect [^>]*?width="([^"]*)"', page):
        assert re.fullmatch(r"\d+\.\d\d", number)


def test_what_is_there_can_be_seen_in_a_bar() -> None:
    made = bars([("a", 1, "1", ""), ("b", 100_000, "100,000", ""), ("c", 0, "0", "")])
    assert [bar.width for bar in made] == ["2.00", "100.00", "0.00"]
    assert [bar.width for bar in bars([("a", 5, "5", "")], whole=4)] == ["100.00"]
    assert [column.y for column in columns([0, 1, 2])] == ["100.00", "50.00", "0.00"]


def test_the_overview_works_with_naive_times(root: Client) -> None:
    with override_settings(USE_TZ=False, TIME_ZONE="Asia/Kolkata"):
        started(targets=3, done=3)
        BatchWorker.objects.create(name="a")
        found = seen()
        assert (found["in_minutes"], found["ended_total"], found["workers"]) == (
            "3 targets",
            "1",
            "1",
        )
        assert "batch-overview" in shown(root, listed())
