"""What results as files take of memory, however many they are."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from batch.models import BatchTarget
from tests.api.conftest import token_of
from tests.api.rows import job_of
from tests.processes import Processes

pytestmark = pytest.mark.django_db(transaction=True)

FORMS = ("jsonl", "csv", "zip")

# In a process of its own: the peak is the kernel's, set back before each form.
MEASURE = """
import sys
import django
django.setup()
from rest_framework.test import APIClient

def kilobytes(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))

small, large, token = sys.argv[1:]
client = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")

def sent(job, form):
    answer = client.get(f"/api/jobs/{job}/results.{form}")
    assert answer.status_code == 200, answer.content
    return sum(map(len, answer.streaming_content))

for form in ("jsonl", "csv", "zip"):
    sent(small, form)
for form in ("jsonl", "csv", "zip"):
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = kilobytes("VmRSS")
    size = sent(large, form)
    print(form, size, kilobytes("VmHWM") - before)
"""


@pytest.fixture
def token(ann: User) -> str:
    return token_of(ann)


def large_job(user: User, count: int) -> str:
    """Each with 100 KB of text that no database packs into much less."""
    job = job_of(user, total=count)
    for start in range(0, count, 100):
        BatchTarget.objects.bulk_create(
            BatchTarget(
                job=job,
                idx=idx,
                url=f"https://e.com/{idx}",
                status="done",
                result={
                    "content": " ".join(f"{idx * 7919 + i:x}" for i in range(15_000)),
                    "meta": {"title": f"Page {idx}"},
                },
            )
            for idx in range(start, min(start + 100, count))
        )
    return str(job.id)


def growth(processes: Processes, ann: User, token: str, count: int) -> float:
    """The largest, in megabytes, of the three forms."""
    small, large = large_job(ann, 3), large_job(ann, count)
    process = processes.python("-c", MEASURE, small, large, token)
    assert process.wait(600) == 0, process.err
    found = {}
    for line in process.out.splitlines():
        form, size, kilobytes = line.split()
        assert int(size) > count * (20_000 if form == "zip" else 80_000)
        found[form] = int(kilobytes) / 1024
    assert set(found) == set(FORMS)
    return max(found.values())


def test_a_large_job_is_sent_in_little_memory(processes: Processes, ann: User, token: str) -> None:
    assert growth(processes, ann, token, 600) < 25  # a third of that, as a rule


@pytest.mark.long
@pytest.mark.timeout(900)
def test_ten_thousand_large_results_are_sent_in_little_memory(
    processes: Processes, ann: User, token: str
) -> None:
    assert growth(processes, ann, token, 10_000) < 50
