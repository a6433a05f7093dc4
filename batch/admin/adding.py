"""Add job: a form and a submit, outside the transaction that the admin would wrap around both."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import AdminForm
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from rest_framework.request import Request

from batch import conf, database
from batch.admin import cells
from batch.admin.job_form import FIELDSETS, JobForm
from batch.admin.readonly import ReadOnlyAdmin, outside_transactions
from batch.errors import BatchError, CallerBusyError, InvalidTargetsError
from batch.loading import load
from batch.models import BatchJob
from batch.runner import Runner
from batch.words import Submission

PIECE_BYTES = 64 * 1024
MOST_PASSED_BYTES = 256 * 1024**2  # of a body that is too large; beyond, the browser has to wonder
CHECK = "_check"  # the button that only looks
REUSED = "No job was added, since one of the same targets is still kept:"


class AddingAdmin(ReadOnlyAdmin):
    """A job comes to be through the runner, with who is logged in as its caller."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    # The token is a part of the body: a body that is too large has to be met before it is
    # looked for. Whatever else is posted goes through csrf_protect below.
    @method_decorator(csrf_exempt)
    @outside_transactions
    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        if too_large := _too_large(request):
            form = JobForm(most_bytes=conf.settings().body_max_bytes)
            return self._page(request, form, refused=too_large, status=413)
        return csrf_protect(self._add)(request)

    def _add(self, request: HttpRequest) -> HttpResponse:
        caller, caller_class = _caller(request)
        form = _form(request)
        if not form.is_valid():  # also where nothing was posted yet
            return self._page(request, form)
        if CHECK in request.POST:
            form.tell(Runner().check(caller_class, form.targets))
            targets = cells.counted(len(form.targets), "target")
            told = "" if form.errors else f"{targets} can be submitted."
            return self._page(request, form, told=told)
        try:
            made = Runner().submit(caller, caller_class, form.targets)
        except InvalidTargetsError as error:
            form.tell(error.problems)
        except BatchError as error:
            form.add_error(None, ValidationError(self._refusal(request, error)))
        else:
            return self._leave(request, made, len(form.targets))
        return self._page(request, form)

    def _refusal(self, request: HttpRequest, error: BatchError) -> str:
        if isinstance(error, CallerBusyError) and self.has_view_permission(request):
            address = self.address("change", BatchJob, error.job_id)
            return format_html("{} ({})", str(error), cells.inner_link(address, "see this job"))
        return f"{error}"

    def _leave(self, request: HttpRequest, made: Submission, number: int) -> HttpResponse:
        may_see = self.has_view_permission(request)
        address = self.address("change", BatchJob, made.id)
        named = cells.inner_link(address, made.id) if may_see else cells.plain(made.id)
        if made.reused:
            told = format_html("{} {}.", REUSED, named)
            self.message_user(request, told, messages.INFO)
        else:
            targets = cells.counted(number, "target")
            job = BatchJob.objects.using(database.alias()).get(pk=made.id)
            self.log_addition(request, job, f"Submitted with {targets}.")
            told = format_html("Submitted {} as job {}.", targets, named)
            self.message_user(request, told, messages.SUCCESS)
        # Who may only add sees the form once more, and the message above it.
        return HttpResponseRedirect(address if may_see else self.address("add", BatchJob))

    def _page(
        self,
        request: HttpRequest,
        form: JobForm,
        *,
        refused: str = "",
        told: str = "",
        status: int = 200,
    ) -> HttpResponse:
        # Also after a check: the file is not chosen any more.
        kept = form.keep_file() if form.is_bound else ""
        context = {
            **self.admin_site.each_context(request),
            "title": "Add job",
            "add": True,
            "form": form,
            "adminform": AdminForm(cast(Any, form), FIELDSETS, {}, model_admin=self),
            "refused": refused,
            "told": told,
            "kept": kept,
            "check": CHECK,
            "opts": self.opts,
            "media": self.media,
            "has_view_permission": self.has_view_permission(request),
        }
        request.current_app = self.admin_site.name
        template = "admin/batch/batchjob/add_form.html"
        return TemplateResponse(request, template, context, status=status)


def _form(request: HttpRequest) -> JobForm:
    posted = request.method == "POST"
    return JobForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        most_bytes=conf.settings().body_max_bytes,
    )


def _caller(request: HttpRequest) -> tuple[str, str]:
    """As the API would name who is logged in here; the setting CALLER takes its requests."""
    asked = Request(request)
    asked.user, asked.auth = request.user, None
    caller: tuple[str, str] = load("CALLER", conf.settings().caller)(asked)
    return caller


def _too_large(request: HttpRequest) -> str:
    """Why the body is not taken, if it is not; it is looked at by its announced length, beyond
    which the server hands nothing on."""
    if request.method != "POST":
        return ""
    most = conf.settings().body_max_bytes
    announced = str(request.META.get("CONTENT_LENGTH") or "0")
    if announced.isdecimal() and int(announced) > most:
        _pass_over(request)
        return (
            f"Nothing was taken: {int(announced):,} bytes were sent, and at most {most:,} can be."
            " Split the list into several jobs."
        )
    try:
        request.POST  # noqa: B018  # reads the body
    except RequestDataTooBig:
        return (
            "Nothing was taken: the text is longer than this site takes in a form. Give it as a"
            " file, or split it into several jobs."
        )
    return ""


def _pass_over(request: HttpRequest) -> None:
    """Read the body and forget it: a browser that is answered while it still sends takes that for
    a broken connection, and shows no answer."""
    passed = 0
    with suppress(OSError):  # it may hang up, too
        while passed < MOST_PASSED_BYTES and (piece := request.read(PIECE_BYTES)):
            passed += len(piece)
