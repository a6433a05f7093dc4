"""What is true of every page: strict policies hold, and nobody's text is more than text."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.safestring import mark_safe

from batch.models import BatchJob, BatchTarget, BatchWorker, JobStatus

from .adding import ADD, file
from .conftest import listed, make_job, page_of
from .test_deleting import expired

pytestmark = pytest.mark.usefixtures("caps")

SCRIPT = "<script>alert(1)</script>"
HOSTILE = f"\"'><img src=x onerror=alert(1)>{SCRIPT}</pre></textarea></title>"
URL = f"https://h/{HOSTILE}"


class Page(HTMLParser):
    """Gathers what a page is made of, as a browser would take it apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.fields: list[dict[str, Any]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        given = dict(pairs)
        if tag == "style" or (tag == "script" and not given.get("src")):
            self.faults.append(self.get_starttag_text() or tag)
        for name, value in given.items():
            inline = name == "style" or name.startswith("on")
            if inline or (value or "").strip().lower().startswith("javascript:"):
                self.faults.append(self.get_starttag_text() or name)
            if name in ("src", "href") and "//" in (value or "") and tag in ("script", "link"):
                self.faults.append(f"not from here: {value}")
        if tag == "img" and given.get("src") == "x":
            self.faults.append("an image of a stranger's")
        if "id" in given:
            self.ids.append(str(given["id"]))
        if tag == "label" and given.get("for"):
            self.labelled.add(str(given["for"]))
        visible = tag in ("input", "select", "textarea") and given.get("type") not in (
            "hidden",
            "submit",
        )
        if visible:
            self.fields.append(given)

    handle_startendtag = handle_starttag


def pages(root: Client) -> Iterator[tuple[str, str]]:
    """Every page of ours, full of hostile text: what it is and its HTML."""
    now = timezone.now()
    hostile = {"caller": HOSTILE, "caller_class": HOSTILE[:64], "error": HOSTILE}
    live = make_job(targets=3, done=2, failed=1, started_at=now, worker=HOSTILE, **hostile)
    ended = make_job(done=2, failed=1, status=JobStatus.PARTIAL, started_at=now, **hostile)
    gone = expired(failed=1, status=JobStatus.PARTIAL, **hostile)
    BatchTarget.objects.update(url=URL, lane=HOSTILE, options={"grep": HOSTILE, HOSTILE: 1})
    BatchTarget.objects.filter(status="failed").update(
        error=HOSTILE, hint=HOSTILE, code=SCRIPT, details={HOSTILE: HOSTILE}
    )
    meta = {HOSTILE: HOSTILE, "title": HOSTILE, "final_url": f"javascript:{HOSTILE}"}
    meta["detected_type"] = HOSTILE
    BatchTarget.objects.filter(status="done").update(result={"content": HOSTILE, "meta": meta})
    worker = BatchWorker.objects.create(name=HOSTILE)
    paths = [listed(), listed(BatchTarget), listed(BatchWorker), f"{listed()}?q={URL}"]
    paths += [f"{listed()}?status={HOSTILE[:20]}", f"{listed()}?class={HOSTILE[:20]}", ADD]
    paths += [page_of(live), page_of(ended), f"{listed(BatchTarget)}?job={ended.pk}"]
    paths += [page_of(target) for target in BatchTarget.objects.filter(job__in=[live, ended])]
    quoted = root.get(listed(BatchWorker)).content.decode().split('class="field-name"')[1]
    paths.append(quoted.split('href="')[1].split('"')[0])
    assert worker.pk
    for path in paths:
        answer = root.get(path, follow=True)
        assert answer.status_code == 200, path
        yield path, answer.content.decode()
    form = {"urls": f'{{"url": "{SCRIPT}", "options": {{"{SCRIPT}": 1}}}}', "grep": HOSTILE}
    for given in (form, {**form, "mode": HOSTILE}, {"file": file("x", f"{HOSTILE[:30]}.csv")}):
        yield "add refused", root.post(ADD, given).content.decode()
    yield "checked", root.post(ADD, {"urls": URL, "_check": "1"}).content.decode()
    added = root.post(ADD, {"urls": "https://a/", "grep": HOSTILE}, follow=True)
    yield "added", added.content.decode()
    for action, job in (("cancel_jobs", live), ("retry_jobs", ended), ("delete_expired", gone)):
        for post in ({"index": 0}, {"post": "yes"}):
            asked = {"action": action, "_selected_action": job.pk, **post}
            yield action, root.post(listed(), asked, follow=True).content.decode()
    yield "history", root.get(page_of(live).replace("change", "history")).content.decode()


def test_no_page_has_inline_script_or_style_or_takes_a_text_for_html(root: Client) -> None:
    seen = 0
    for path, text in pages(root):
        seen += 1
        assert Page(text).faults == [], path
        assert "<script>" not in text.lower(), path
        assert "<img src=x" not in text, path
    assert seen > 20
    assert BatchJob.objects.filter(caller=HOSTILE).exists()


def test_ids_are_given_once_and_fields_have_names(root: Client) -> None:
    for path, text in pages(root):
        page = Page(text)
        # Django's own object tools and filters are not ours to judge.
        ours = [each for each in page.ids if each.startswith(("batch", "id_"))]
        assert len(ours) == len(set(ours)), path
        if path.startswith("add") or path == ADD:
            for field in page.fields:
                named = field.get("aria-label") or field.get("id") in page.labelled
                assert named, (path, field)


def test_messages_that_claim_to_be_safe_are_not_believed(root: Client, settings: Any) -> None:
    settings.BATCH = {**settings.BATCH, "VALIDATE": f"{__name__}.hostile"}
    page = Page(text := root.post(ADD, {"urls": "https://a/"}).content.decode())
    assert page.faults == []
    assert "&lt;script&gt;alert(1)" in text


def hostile(targets: Any) -> Any:
    text = mark_safe(SCRIPT)
    return [(0, text, "bad", text, text), (None, "jq", "bad", text, text)]


def test_the_pages_work_under_a_strict_policy(root: Client) -> None:
    make_job()
    policy = root.get(listed()).headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
