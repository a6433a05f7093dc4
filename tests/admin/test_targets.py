"""A target's page, and that nothing from outside is more than text on any page."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils.safestring import mark_safe

from batch.admin.cells import MAX_CONTENT_CHARS, web_link
from batch.errors import FetchError
from batch.models import BatchJob, BatchTarget, JobStatus, TargetState
from batch.types import FetchContext, Result, Target

from .conftest import drained, listed, make_job, page_of, shown

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def target(db: None) -> BatchTarget:
    job = make_job(targets=1, done=1, status=JobStatus.DONE)
    return BatchTarget.objects.get(job=job)


def test_a_targets_page_shows_its_content_meta_and_options(
    root: Client, target: BatchTarget
) -> None:
    target.options = {"grep": "a|b", "context": True}
    target.result = {
        "content": "one\n\n  two",
        "meta": {"detected_type": "text/html", "redirects": [{"status": 301}], "title": None},
    }
    target.save()
    page = shown(root, page_of(target))
    assert '<pre class="batch-text" tabindex="0">\none\n\n  two</pre>' in page
    assert '<th scope="row">detected_type</th><td>text/html</td>' in page
    assert "&quot;status&quot;: 301" in page
    assert '<th scope="row">grep</th><td>a|b</td>' in page
    assert '<th scope="row">context</th><td>true</td>' in page
    assert page_of(target.job) in page
    assert 'name="_save"' not in page


def test_a_failed_targets_page_tells_code_error_hint_and_details(root: Client) -> None:
    job = make_job(targets=1, done=1, failed=1, status=JobStatus.FAILED)
    target = BatchTarget.objects.get(job=job)
    target.hint, target.details = "try the archive", {"status_code": 404}
    target.save()
    page = shown(root, page_of(target))
    for words in ("http_status", "no such page", "try the archive", "&quot;status_code&quot;: 404"):
        assert words in page
    assert "batch-facts" not in page


def test_long_content_is_cut_and_the_page_says_how_much_is_left(
    root: Client, target: BatchTarget
) -> None:
    target.result = {"content": "x" * (MAX_CONTENT_CHARS + 1234), "meta": {}}
    target.save()
    page = shown(root, page_of(target))
    assert page.count("x" * MAX_CONTENT_CHARS) == 1
    assert "x" * (MAX_CONTENT_CHARS + 1) not in page
    assert "The first 100,000 characters are shown; 1,234 more are stored." in page


def test_a_target_without_a_result_has_a_page(root: Client) -> None:
    job = make_job(targets=1)
    page = shown(root, page_of(BatchTarget.objects.get(job=job)))
    assert "batch-pending" in page
    assert "Content:" not in page


def test_a_target_cannot_be_changed_added_or_deleted(root: Client, target: BatchTarget) -> None:
    path = page_of(target)
    assert root.post(path, {"url": "http://b/"}).status_code == 403
    assert root.get(listed(BatchTarget) + "add/").status_code == 403
    assert root.post(path.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert 'name="action"' not in shown(root, listed(BatchTarget))
    assert BatchTarget.objects.get().url == target.url


def test_who_may_see_jobs_may_see_their_targets(
    staff: Callable[..., Client], target: BatchTarget
) -> None:
    client = staff("view_batchjob")
    assert "content of 0" in shown(client, page_of(target))
    assert target.url in shown(client, listed(BatchTarget))


def test_who_may_not_see_jobs_sees_no_target(
    staff: Callable[..., Client], target: BatchTarget
) -> None:
    client = staff("view_batchworker")
    assert client.get(page_of(target)).status_code == 403
    assert client.get(listed(BatchTarget)).status_code == 403


def hostile(context: FetchContext, target: Target) -> Result:
    if context.idx == 0:
        raise FetchError(mark_safe(SCRIPT), hint=mark_safe(SCRIPT), meta={SCRIPT: SCRIPT})
    meta = {
        SCRIPT: SCRIPT,
        "detected_type": SCRIPT,
        "final_url": f"javascript:alert(1)//{SCRIPT}",
        "canonical_url": f'https://a/"{SCRIPT}',
        "nested": {SCRIPT: [SCRIPT]},
    }
    return Result(mark_safe(f"</pre>{SCRIPT}"), meta)


def test_nothing_from_a_page_is_rendered_as_html_anywhere(root: Client) -> None:
    urls = (f'https://a/"{SCRIPT}', f"javascript:alert(1)//{SCRIPT}", f"'{SCRIPT}")
    job = drained(hostile, *urls)
    BatchJob.objects.update(caller=SCRIPT, caller_class=SCRIPT, error=SCRIPT, worker=SCRIPT)
    pages = [listed(), listed(BatchTarget), page_of(job)]
    pages += [page_of(target) for target in BatchTarget.objects.filter(job=job)]
    for path in pages:
        page = shown(root, path)
        assert "<script>alert" not in page, path
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page, path
        assert 'href="javascript' not in page.lower(), path
        assert 'href="&#x27;' not in page, path
    # What is asked before an action, and what is said after it.
    for post in ({}, {"post": "yes"}):
        form = {"action": "retry_jobs", "_selected_action": job.pk, **post}
        answer = root.post(listed(), form, follow=True)
        assert "<script>alert" not in answer.content.decode()


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.com/",
        "http:example.com",
        "https://",
        "httpx://example.com/",
        "example.com",
        "",
        "https://a/" + "x" * 10_000,
    ],
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert "<a" not in web_link(url)


@pytest.mark.parametrize("url", ["https://example.com/?a=1&b=2", "HTTP://example.com"])
def test_links_that_lead_out_give_nothing_away(url: str) -> None:
    link = web_link(mark_safe(url))
    assert 'rel="noopener noreferrer nofollow"' in link
    assert f'href="{url.replace("&", "&amp;")}"' in link


def test_a_status_of_json_null_is_told_from_a_text(root: Client, target: BatchTarget) -> None:
    target.result = {"content": "x", "meta": {"detected_type": None, "content_type": "text/plain"}}
    target.save()
    assert target.status == TargetState.DONE
    assert "text/plain" in shown(root, page_of(target.job))


@pytest.mark.parametrize(
    ("said", "told"), [(1234, "1,234"), (None, "3"), ("many", "-"), ([1], "-"), (-1, "-")]
)
def test_the_length_that_a_fetch_tells_is_believed(
    root: Client, target: BatchTarget, said: object, told: str
) -> None:
    target.result = {"content": "abc", "meta": {"content_chars": said}}
    target.save()
    assert f'<td class="field-size">{told}</td>' in shown(root, listed(BatchTarget))


def test_a_result_without_known_meta_is_listed(root: Client, target: BatchTarget) -> None:
    for meta in ({}, {"detected_type": {"a": [1]}}, {"content_type": 5}):
        target.result = {"content": "äöü€", "meta": meta}
        target.save()
        page = shown(root, listed(BatchTarget))
        assert '<td class="field-size">4</td>' in page
