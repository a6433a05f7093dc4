"""Filling in the form of a new job."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from batch.models import BatchJob, BatchTarget

from .conftest import page_of

ADD = "/admin/batch/batchjob/add/"


def file(text: str | bytes, name: str = "list.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def submitted(client: Client, **form: Any) -> list[tuple[str, dict[str, Any]]]:
    """URL and options of the targets of the job that the form made."""
    answer = client.post(ADD, form)
    assert answer.status_code == 302, errors(answer)
    job = BatchJob.objects.latest("created_at")
    assert answer.headers["Location"] == page_of(job)
    rows = BatchTarget.objects.filter(job=job).order_by("idx")
    return list(rows.values_list("url", "options"))


def errors(answer: Any) -> dict[str, list[str]]:
    """What the form refused, by field; nothing was stored."""
    assert answer.status_code == 200
    assert not BatchJob.objects.filter(caller__startswith="user:", caller_class="staff").exists()
    return {field: list(found) for field, found in answer.context["form"].errors.items()}


def refused(client: Client, **form: Any) -> dict[str, list[str]]:
    return errors(client.post(ADD, form))
