"""Filters whose choices are known without a look at the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from batch import conf
from batch.admin.moments import midnight, today
from batch.ids import parse_id
from batch.models import LIVE, JobStatus, TargetState

Choices = list[tuple[str, str]]


class StatusFilter(admin.SimpleListFilter):
    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("live", "Live (not ended)"), *JobStatus.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(status__in=asked_for(request))


def asked_for(request: HttpRequest) -> Sequence[str]:
    """The statuses that the filter leaves: those of its choice, or all."""
    chosen = request.GET.get(StatusFilter.parameter_name)
    if chosen is None:
        return JobStatus.values
    return LIVE if chosen == "live" else [chosen]


class ClassFilter(admin.SimpleListFilter):
    """By caller class. Classes are the host's words; asking the table for all of them would read
    it whole. The choices are those that settings name and the three that this app gives out;
    any other can be chosen by a click on it in the list."""

    title = "class"
    parameter_name = "class"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        names = {"staff", "user", "cli", *conf.settings().classes}
        if chosen := self.value():
            names.add(chosen)
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset if chosen is None else queryset.filter(caller_class=chosen)


class CreatedFilter(admin.SimpleListFilter):
    title = "created"
    parameter_name = "created"
    days = {"today": (0, 1), "yesterday": (1, 1), "week": (6, 7), "month": (29, 30)}

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [
            ("today", "Today"),
            ("yesterday", "Yesterday"),
            ("week", "Past 7 days"),
            ("month", "Past 30 days"),
            ("older", "Before that"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen == "older":
            return queryset.filter(created_at__lt=midnight(today() - timedelta(days=29)))
        if chosen not in self.days:
            return queryset
        ago, length = self.days[chosen]
        first = today() - timedelta(days=ago)
        return queryset.filter(
            created_at__gte=midnight(first), created_at__lt=midnight(first + timedelta(days=length))
        )


class FailuresFilter(admin.SimpleListFilter):
    """No index has the counter of failures, but most statuses tell. So no list is read whole to
    find, for one, that none of the jobs that are done has any."""

    title = "failures"
    parameter_name = "failures"
    telling = {"yes": (JobStatus.FAILED, JobStatus.PARTIAL), "no": (JobStatus.DONE,)}
    counting = (*LIVE, JobStatus.CANCELLED)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("yes", "Has failures"), ("no", "None")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen not in self.telling:
            return queryset
        asked = asked_for(request)
        told = [status for status in self.telling[chosen] if status in asked]
        counting = [status for status in self.counting if status in asked]
        counted = Q(targets_failed__gt=0) if chosen == "yes" else Q(targets_failed=0)
        return queryset.filter(Q(status__in=told) | Q(status__in=counting) & counted)


class JobFilter(admin.SimpleListFilter):
    """The targets of one job. It is reached from the job, so its only choice is that one."""

    title = "job"
    parameter_name = "job"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        chosen = self.value()
        return [(chosen, chosen)] if chosen else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        known = parse_id(self.value())
        if known is None:
            raise IncorrectLookupParameters(f"no job has the id {self.value()!r}")
        return queryset.filter(job_id=known)


class TargetStatusFilter(admin.SimpleListFilter):
    """Only within one job: no index leads to the targets of a status in the whole table."""

    title = "status"
    parameter_name = "status"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self.within_a_job = bool(request.GET.get(JobFilter.parameter_name))
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return TargetState.choices if self.within_a_job else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(status=self.value())
