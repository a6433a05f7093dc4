"""What all views of the API share: their own manners, and the host's authentication."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.db import connections, transaction
from django.http import Http404, HttpRequest
from rest_framework.exceptions import NotAcceptable
from rest_framework.metadata import SimpleMetadata
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer, BrowsableAPIRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from batch.api.parsers import JsonParser, StreamedRequest
from batch.api.problems import ProblemRenderer, answer


def own_schema() -> Any:
    """What describes the views where drf-spectacular is installed; else REST framework's own."""
    if find_spec("drf_spectacular") is None:
        return APIView.__dict__["schema"]
    from batch.api.openapi import Schema

    return Schema()


class ProblemView(APIView):
    """Its errors are problems, whatever goes wrong and whatever the request accepts."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        try:
            return super().perform_content_negotiation(request, force)
        except Http404:  # of ?format=, which is no address
            raise NotAcceptable from None

    def get_exception_handler(self) -> Callable[[Exception, Any], Response]:
        return answer

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        if getattr(response, "exception", False):
            request.accepted_renderer = ProblemRenderer()
            request.accepted_media_type = ProblemRenderer.media_type
        # What pages contain is passed on here; no browser may take it for a page of ours.
        response["X-Content-Type-Options"] = "nosniff"
        return super().finalize_response(request, response, *args, **kwargs)


class ApiView(ProblemView):
    """Authentication and throttles are those of the host's settings; what decides about the
    shape of a request or an answer is set here, so that no host's setting changes it."""

    permission_classes = [IsAuthenticated]
    parser_classes = [JsonParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = DefaultContentNegotiation
    metadata_class = SimpleMetadata
    versioning_class = None
    schema = own_schema()

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        # The runner has transactions of its own, which must not wait for the end of a request.
        view = super().as_view(**initkwargs)
        for alias in connections:
            view = transaction.non_atomic_requests(using=alias)(view)
        return view

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.renderer_classes = [JSONRenderer, *_browsable()]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        return StreamedRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )


def _browsable() -> list[type[BaseRenderer]]:
    """The host's browsable API, where it has one: its templates come with the app."""
    if not apps.is_installed("rest_framework"):
        return []
    own: Any = api_settings.DEFAULT_RENDERER_CLASSES
    return [renderer for renderer in own if issubclass(renderer, BrowsableAPIRenderer)]
