"""Whether this server is up: for load balancers and probes, which have no account."""

from __future__ import annotations

import logging
from typing import Any

from django.db.utils import Error
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from batch import database, health
from batch.api.base import ApiView
from batch.api.problems import Refusal

logger = logging.getLogger("batch")


class Probe(ApiView):
    """Answers anybody, so it tells nothing of the jobs and asks for nothing of the host's: an
    authentication or a throttle that fails must not take the server out of service."""

    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes = []

    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[JSONRenderer, str]:
        """Whatever the probe accepts: it goes by the status."""
        return JSONRenderer(), JSONRenderer.media_type

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        response["Cache-Control"] = "no-store"
        return super().finalize_response(request, response, *args, **kwargs)


class HealthView(Probe):
    """Ready when the tables can be read. ``queue`` is false when jobs wait for a worker and none
    is alive; the status is 200 all the same, since a web process can do nothing about that."""

    def get(self, request: Request) -> Response:
        try:
            queue = health.look(database.alias())
        except Error as error:
            if database.mood(error):
                raise
            # Mostly a table or a column that is not there yet.
            logger.warning("not_ready", exc_info=error)
            raise Refusal("not_ready", "the tables cannot be read") from error
        return Response({"alive": True, "ready": True, "queue": queue.drained})


class AliveView(Probe):
    """This process answers. No database is asked, which a restart of the process would not heal."""

    def get(self, request: Request) -> Response:
        return Response({"alive": True})
