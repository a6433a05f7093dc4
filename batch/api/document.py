"""The OpenAPI document of these views, by drf-spectacular where the host has installed it.

Everything is set here, so that no setting of the host's changes the document, nor this the
host's own.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.settings import patched_settings
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from batch.api import examples
from batch.api.base import ProblemView
from batch.api.codes import CODES
from batch.api.openapi import Schema

TITLE = "sift batch"
_changing = threading.Lock()
VERSION = "1"
# What an unknown field of is refused.
CLOSED = ("Submission", "NewTarget", "NewOptions")
SETTINGS = {
    "TITLE": TITLE,
    "DESCRIPTION": "Submits jobs, shows them and their targets, cancels, retries and deletes them.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": False,
    "SCHEMA_PATH_PREFIX": None,
    "SCHEMA_PATH_PREFIX_TRIM": False,
    "CAMELIZE_NAMES": False,
    "PREPROCESSING_HOOKS": [],
    "POSTPROCESSING_HOOKS": [],
    "APPEND_COMPONENTS": {},
    "APPEND_PATHS": {},
    "ENUM_NAME_OVERRIDES": {},
    "SECURITY": [],
    "TAGS": [],
    "SERVERS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}


class _Endpoints(EndpointEnumerator):
    """These views alone, wherever the host has put them; each has a second address without the
    slash at its end, which is not worth telling."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        view = getattr(callback, "cls", None)
        return isinstance(getattr(view, "schema", None), Schema) and not _is_twin(path)


def _is_twin(path: str) -> bool:
    return not path.endswith(("/", ".jsonl", ".csv", ".zip"))


@contextlib.contextmanager
def _own_settings() -> Iterator[None]:
    """drf-spectacular's settings are one for the process: two threads that changed them at a
    time would put back each other's."""
    with _changing, patched_settings(SETTINGS):
        yield


class _Generator(SchemaGenerator):
    endpoint_inspector_cls = _Endpoints

    def get_schema(self, *args: Any, **kwargs: Any) -> Any:
        told: Any = super().get_schema(*args, **kwargs)  # type: ignore[no-untyped-call]
        for name in CLOSED:
            told["components"]["schemas"][name]["additionalProperties"] = False
        told["components"]["examples"] = {
            code: {"value": examples.problem(code)}
            for code in CODES
            if code != "method_not_allowed"  # no call of the document is answered so
        }
        return told


class SchemaView(ProblemView, SpectacularJSONAPIView):
    """The document, as JSON."""

    generator_class = _Generator
    permission_classes = [IsAuthenticated]
    schema = None
    urlconf = None
    patterns = None
    serve_public = True  # the same for everybody who may read it

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        with _own_settings():
            shown: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return shown


class DocsView(ProblemView, SpectacularSwaggerSplitView):
    """The document as a page to read and to try; all that it needs comes from this server."""

    permission_classes = [IsAuthenticated]
    schema = None
    template_name = "batch/docs.html"
    title = TITLE

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        match = request.resolver_match
        self.url = reverse(f"{match.namespace if match else 'batch'}:schema")
        with _own_settings():
            shown: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return shown
