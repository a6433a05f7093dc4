"""What comes in and goes out, for the OpenAPI document alone.

The views neither read nor write through these: targets are the parser's to judge, and answers
are rows. A test holds each answer of the API against the document that is made of them.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from batch import conf
from batch.api.codes import CODES
from batch.models import JobStatus, TargetState

MODES = "auto, article, full, text or raw with the fetch that comes along"
# What every database can store. A URL has more than white space, which here is what Python strips:
# \s of JSON Schema lacks the separators, and has the byte order mark.
STORABLE = r"^[^\x00]*$"
URL = r"^[^\x00]*([^\s\x00\x1c-\x1f\x85]|\ufeff)[^\x00]*$"


class _Moment(s.DateTimeField):
    """ISO 8601 in UTC."""


@extend_schema_field(
    {
        "anyOf": [
            {"type": "string", "pattern": STORABLE},
            {"type": "integer", "minimum": 1 - 10**18, "maximum": 10**18 - 1},
        ]
    }
)
class _Pages(s.CharField):
    """Text, or a number, which becomes its text."""


@extend_schema_field({"type": "string", "pattern": STORABLE})
class _Text(s.CharField):
    """Whatever can be stored; empty is like left out."""


class NewOptions(s.Serializer[Any]):
    """What to do with a URL; every option may be left out."""

    mode = _Text(required=False, help_text=MODES)
    question = _Text(required=False, help_text="the passages that have to do with it")
    pages = _Pages(required=False, help_text="of a PDF, such as 1-5 or 8-, or one page's number")
    grep = _Text(required=False, help_text="an RE2 pattern: the lines that match")
    jq = _Text(required=False, help_text="a jq program: select from JSON")
    context = s.BooleanField(  # type: ignore[assignment]
        required=False, help_text="two lines around each match of grep"
    )
    recover = s.BooleanField(required=False, help_text="an archived copy when the page is gone")
    extra = s.DictField(required=False, help_text="of the host project's own")

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        if not conf.settings().extra_options:
            del fields["extra"]
        return fields


class NewTarget(s.Serializer[Any]):
    """One URL and its options."""

    url = s.RegexField(URL)
    options = NewOptions(required=False)


class UrlOrTarget(s.Field[Any, Any, Any, Any]):
    """A URL alone, or with options."""


class _UrlOrTargetSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = UrlOrTarget

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        target = auto_schema.resolve_serializer(NewTarget, direction)
        return {"anyOf": [{"type": "string", "pattern": URL}, target.ref]}


class Submission(s.Serializer[Any]):
    """The targets of a new job. ``options`` are defaults, overridden key by key."""

    targets = s.ListField(child=UrlOrTarget(), min_length=1)
    options = NewOptions(required=False)


class Options(s.Serializer[Any]):
    """The options that a target has; those that were left out are left out."""

    mode = s.CharField(required=False)
    question = s.CharField(required=False)
    pages = s.CharField(required=False)
    grep = s.CharField(required=False)
    jq = s.CharField(required=False)
    context = s.BooleanField(required=False)  # type: ignore[assignment]
    recover = s.BooleanField(required=False)
    extra = s.DictField(required=False)


class Links(s.Serializer[Any]):
    self = s.URLField()
    targets = s.URLField()
    cancel = s.URLField()
    retry = s.URLField()
    results_jsonl = s.URLField()
    results_csv = s.URLField()
    results_zip = s.URLField()


class Job(s.Serializer[Any]):
    id = s.UUIDField()
    status = s.ChoiceField(JobStatus.choices)
    error = s.CharField(allow_blank=True)
    caller_class = s.CharField(allow_blank=True)
    targets_total = s.IntegerField(min_value=0)
    targets_done = s.IntegerField(min_value=0, help_text="failures included")
    targets_failed = s.IntegerField(min_value=0)
    created_at = _Moment()
    started_at = _Moment(allow_null=True)
    finished_at = _Moment(allow_null=True)
    lease_expires_at = _Moment()
    worker_alive = s.BooleanField()
    links = Links()


class SubmittedJob(Job):
    reused = s.BooleanField(help_text="the same submission was made before")


class Result(s.Serializer[Any]):
    content = s.CharField(allow_null=True, allow_blank=True, help_text="null with content=0")
    meta = s.DictField()


class Target(s.Serializer[Any]):
    idx = s.IntegerField(min_value=0)
    url = s.CharField()
    options = Options()
    status = s.ChoiceField(TargetState.choices)
    result = Result(allow_null=True)
    error = s.CharField(allow_blank=True)
    hint = s.CharField(allow_blank=True)
    code = s.CharField(allow_blank=True)
    details = s.DictField(allow_null=True)
    started_at = _Moment(allow_null=True)
    finished_at = _Moment(allow_null=True)


class JobPage(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    previous = s.URLField(allow_null=True)
    results = Job(many=True)


class TargetPage(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    previous = s.URLField(allow_null=True)
    results = Target(many=True)


class Alive(s.Serializer[Any]):
    alive = s.BooleanField(help_text="this process answers")


class Health(Alive):
    ready = s.BooleanField(help_text="the tables can be read; else 503")
    queue = s.BooleanField(help_text="false: jobs wait for a worker, and none is alive")


class ProblemItem(s.Serializer[Any]):
    index = s.IntegerField(allow_null=True, help_text="of the target, where it is about one")
    field = s.CharField()
    code = s.CharField()
    message = s.CharField()
    hint = s.CharField(allow_blank=True)


class Problem(s.Serializer[Any]):
    """RFC 9457, as application/problem+json."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    detail = s.CharField(allow_blank=True)
    code = s.CharField(help_text=", ".join(CODES) + ", or one of the host's own")
    hint = s.CharField(allow_blank=True)
    errors = ProblemItem(many=True, required=False)  # type: ignore[assignment]
    limit = s.IntegerField(required=False)
    count = s.IntegerField(required=False)
    job = s.UUIDField(required=False)
    reference = s.CharField(required=False)
