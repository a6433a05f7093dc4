"""The doors to the runner: each view is one question or one call, and one answer."""

from __future__ import annotations

from typing import Any, NoReturn

from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from batch import database
from batch.api import access, etags, query, serializers, targets, waiting
from batch.api.base import ApiView
from batch.api.callers import caller_of
from batch.api.pages import JOBS, TARGETS, Pages
from batch.api.problems import Refusal
from batch.errors import UnknownJobError
from batch.health import worker_alive
from batch.models import TERMINAL, BatchJob, BatchTarget, TargetState
from batch.runner import Runner

EVERYBODY = "the jobs of all callers are for staff with the permission batch.view_batchjob"


class JobList(ApiView):
    """The caller's jobs, newest first. POST submits a job."""

    def get(self, request: Request) -> Response:
        everybody = query.flag(request, "all", False)
        if everybody and not access.reaches_all(request, "view"):
            raise PermissionDenied(EVERYBODY)
        pages = Pages(request, JOBS)
        conditions = query.conditions(request)
        using = database.alias()

        def find() -> list[BatchJob]:
            rows = access.jobs(request, database.now(using), using, everybody=everybody)
            return list(pages.walk(rows.filter(**conditions)))

        found = database.repeat(find, using)
        rows, more = found[: pages.limit], len(found) > pages.limit
        alive = worker_alive()
        shown = [serializers.job(row, request, worker_alive=alive) for row in rows]
        return Response(pages.answer([(row.created_at, row.id) for row in rows], more, shown))

    def post(self, request: Request) -> Response:
        wanted = serializers.submission(request.data)
        submission = Runner().submit(*caller_of(request), wanted)
        return _made(
            request,
            submission.id,
            status.HTTP_200_OK if submission.reused else status.HTTP_202_ACCEPTED,
            reused=submission.reused,
        )


class JobDetail(ApiView):
    """A job, at once or with ``?wait=`` when something in it is new. DELETE removes one that
    has ended, and its results."""

    def get(self, request: Request, job_id: str) -> Response:
        seconds = waiting.seconds_of(request)
        known = etags.asked(request)
        for _ in waiting.looks(seconds):
            row = access.job(request, job_id, "view")
            shown = serializers.job(row, request, worker_alive=worker_alive())
            etag = etags.of(shown)
            if row.status in TERMINAL or (known and not etags.match(etag, known)):
                break
            known = known or [etag]
        return etags.response(request, shown, etag)

    def delete(self, request: Request, job_id: str) -> Response:
        row = access.job(request, job_id, "delete")
        Runner().delete(str(row.id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class JobCancel(ApiView):
    """POST ends a live job: the target in flight is still stored, later ones stay pending."""

    def post(self, request: Request, job_id: str) -> Response:
        row = access.job(request, job_id, "change")
        if not Runner().cancel(str(row.id)):
            row = access.job(request, job_id, "change")  # gone, if somebody deleted it
            raise Refusal("job_terminal", f"job {row.id} has ended already: it is {row.status}")
        return Response(_shown(request, str(row.id)))


class JobRetry(ApiView):
    """POST makes a new job of the failed and pending targets of one that has ended."""

    def post(self, request: Request, job_id: str) -> Response:
        row = access.job(request, job_id, "change")
        submission = Runner().retry(str(row.id))
        return _made(request, submission.id, status.HTTP_202_ACCEPTED)


class TargetList(ApiView):
    """The targets of a job in their order, with what became of them."""

    def get(self, request: Request, job_id: str) -> Response:
        pages = Pages(request, TARGETS)
        wanted = query.statuses(request, TargetState.values)
        content = query.flag(request, "content", True)
        using = database.alias()
        rows = BatchTarget.objects.using(using).filter(job=access.job(request, job_id, "view"))
        if wanted:
            rows = rows.filter(status__in=wanted)
        found, more = database.repeat(lambda: targets.page(rows, pages, content=content), using)
        shown = [serializers.target(row) for row in found]
        return Response(pages.answer([(row["idx"],) for row in found], more, shown))


class TargetDetail(ApiView):
    """One target of a job, by its place in the list."""

    def get(self, request: Request, job_id: str, idx: str) -> Response:
        content = query.flag(request, "content", True)
        row = access.job(request, job_id, "view")
        # Only the one spelling of a number is an address, and none is longer than a column.
        if not (idx.isascii() and idx.isdecimal() and str(int(idx[:10])) == idx):
            raise _unknown_target(row, idx)
        using = database.alias()
        rows = BatchTarget.objects.using(using).filter(job=row, idx=int(idx))
        found = database.repeat(lambda: targets.load(rows, content=content), using)
        if not found:
            raise _unknown_target(row, idx)
        return Response(serializers.target(found[0]))


class Nowhere(ApiView):
    """Whatever else is asked for below ``jobs/``: a problem too, not the host's HTML page."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        super().initial(request, *args, **kwargs)
        raise Refusal("not_found", "there is nothing at this address")


def _made(request: Request, job_id: str, code: int, **more: Any) -> Response:
    """The answer to a call that made a job, or found the one that is kept."""
    headers = {"Location": serializers.job_url(job_id, request)}
    return Response({**_shown(request, job_id), **more}, status=code, headers=headers)


def _shown(request: Request, job_id: str) -> dict[str, Any]:
    """The job as it is after a call, whose caller may know it though it may not read it."""
    using = database.alias()
    row = database.repeat(BatchJob.objects.using(using).filter(id=job_id).first, using)
    if row is None:
        raise UnknownJobError(job_id)
    return serializers.job(row, request, worker_alive=worker_alive())


def _unknown_target(row: BatchJob, idx: str) -> Refusal:
    detail = f"job {row.id} has no target {idx[:20]!r}"
    last = row.targets_total - 1
    return Refusal("not_found", detail, f"its targets are 0 to {last}")
