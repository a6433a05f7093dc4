"""What all pages have in common: rows are read, lists stay fast however long the table is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, quote
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import connections, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

from batch.admin.moments import stamp
from batch.admin.paging import CappedPaginator, page_asked

View = TypeVar("View", bound=Callable[..., Any])


def outside_transactions(view: View) -> View:
    """Keep ATOMIC_REQUESTS away from ``view``: the runner's transactions stay as short as they
    are made, and one refusal undoes nothing but itself."""
    for alias in connections:
        view = transaction.non_atomic_requests(using=alias)(view)
    return view


# What Django's own filters would be called; bookmarks and habits use these.
USUAL_NAMES = {
    "status__exact": "status",
    "caller_class": "class",
    "caller_class__exact": "class",
    "job__id__exact": "job",
    "job__exact": "job",
    "job_id": "job",
}


class ReadOnlyChangeList(ChangeList):
    """A list whose every query was planned: its order is the admin's, never the visitor's."""

    model_admin: ReadOnlyAdmin

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        return list(self.model_admin.get_ordering(request))

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        rows = super().get_queryset(request, *args, **kwargs)
        return rows.defer(*self.model_admin.not_in_lists)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        # Where nothing was counted, nothing is looked for once more.
        self.result_list = list(self.result_list) if self.result_count else []
        unfiltered = not (self.query or self.has_active_filters)
        if unfiltered or getattr(self.paginator, "more", False):
            # The search form tells the number of results where the two differ. A count that
            # stopped early is no such number.
            self.full_result_count = self.result_count
        self.model_admin.prepare(self.result_list, self.queryset.db)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Nobody adds, changes or deletes a row by hand, whatever the permissions.

    The permission to change a model is that for its actions; no single row can be changed.
    """

    actions: Any = ()
    list_per_page = 100
    list_max_show_all = 100
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they would count the table once a choice
    sortable_by = ()
    not_in_lists: ClassVar[Sequence[str]] = ()

    class Media:
        css: ClassVar = {"all": ["batch/admin.css"]}

    def prepare(self, rows: Sequence[Any], using: str) -> None:
        """Give the rows of a list what their cells need, in a fixed number of queries."""
        stamp(rows, using)

    def address(self, page: str, model: type[Model], *args: Any, **query: Any) -> str:
        """Where a page of the admin is; ``args`` is the row's key if it has one."""
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
        path = reverse(name, args=[quote(arg) for arg in args], current_app=self.admin_site.name)
        return f"{path}?{urlencode(query)}" if query else path

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        # The index offers a model to be viewed, not to be changed.
        return {**super().get_model_perms(request), "change": False}

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return flatten_fieldsets(self.get_fieldsets(request, obj))

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            stamp([row], row._state.db)
        return row

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ReadOnlyChangeList

    def get_paginator(
        self, request: HttpRequest, queryset: QuerySet[Any], per_page: int, *args: Any, **kw: Any
    ) -> CappedPaginator:
        page = page_asked(request.GET.get(PAGE_VAR))
        return CappedPaginator(queryset, per_page, *args, page=page, **kw)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # Django would let a query string filter by any column, most of which have no index.
        return lookup in {getattr(each, "parameter_name", None) for each in self.list_filter}

    @outside_transactions
    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not USUAL_NAMES.keys().isdisjoint(request.GET):
            query = request.GET.copy()
            for name in USUAL_NAMES.keys() & query.keys():
                query.setlist(USUAL_NAMES[name], query.pop(name))
            request.GET = query  # type: ignore[assignment]  # nobody writes to it any more
        if request.method == "POST":
            allowed = self.get_actions(request)
            if any(name and name not in allowed for name in request.POST.getlist("action")):
                raise PermissionDenied
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied
        return super().changeform_view(request, object_id, form_url, extra_context)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        try:
            return super().response_action(request, queryset, *args, **kwargs)
        except ValidationError as error:
            raise BadRequest("a selected row has a key that no row can have") from error
