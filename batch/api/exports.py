"""A job's results as a file, sent while they are read."""

from __future__ import annotations

from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from batch.api import access
from batch.api.base import ApiView
from batch.exports import FORMS
from batch.exports.sending import Awaited, Chunks, begun, nothing
from batch.models import BatchJob


class Results(ApiView):
    """The results of a job, one row a target. The address names the form of the file."""

    form: str

    def get(self, request: Request, job_id: str) -> StreamingHttpResponse:
        row = access.job(request, job_id, "view")
        return self._answer(request, row, begun(self.form, str(row.id)))

    def head(self, request: Request, job_id: str) -> StreamingHttpResponse:
        row = access.job(request, job_id, "view")
        return self._answer(request, row, nothing())

    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[JSONRenderer, str]:
        """Whatever the request accepts: nobody asks for this address to get another form."""
        return JSONRenderer(), JSONRenderer.media_type

    def _answer(self, request: Request, row: BatchJob, chunks: Chunks) -> StreamingHttpResponse:
        asynchronous = isinstance(request._request, ASGIRequest)
        return StreamingHttpResponse(
            Awaited(chunks) if asynchronous else chunks,
            content_type=FORMS[self.form].content_type,
            headers={"Content-Disposition": f'attachment; filename="{row.id}.{self.form}"'},
        )


class ResultsJsonl(Results):
    form = "jsonl"


class ResultsCsv(Results):
    form = "csv"


class ResultsZip(Results):
    form = "zip"
