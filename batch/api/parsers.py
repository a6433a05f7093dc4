"""Request bodies: strict JSON, and never more of it than the setting BODY_MAX_BYTES.

Django's own limit holds only where somebody asks for ``request.body``, and neither Django nor
DRF looks at a body whose length was not announced. So the stream is counted while it is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from batch import conf
from batch.api.problems import Refusal

PIECE_BYTES = 64 * 1024


class StreamedRequest(Request):
    """A request whose body is found although no Content-Length announced it."""

    @property
    def stream(self) -> Any:
        announced = super().stream
        meta = self._request.META
        if announced is not None or meta.get("CONTENT_LENGTH") or not self.content_type:
            return announced
        if "wsgi.input" not in meta:
            return self._request  # ASGI: Django has received the whole body
        # The server marks a stream that has an end of its own, as a chunked one does; without
        # the mark a read might wait for ever.
        return meta["wsgi.input"] if meta.get("wsgi.input_terminated") else None


class JsonParser(BaseParser):
    """One JSON value as RFC 8259 has it: in UTF-8, without NaN and Infinity."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        announced = parser_context["request"].META.get("CONTENT_LENGTH") if parser_context else ""
        body = _read(stream, str(announced or ""), conf.settings().body_max_bytes)
        try:
            return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
        except UnicodeDecodeError:
            raise Refusal("malformed_body", "the body is not UTF-8") from None
        except RecursionError:
            raise Refusal("malformed_body", "the body is nested too deep") from None
        except ValueError as error:
            raise Refusal("malformed_body", f"the body is not JSON: {error}") from None


def _read(stream: Any, announced: str, most: int) -> bytes:
    if announced.isdecimal() and int(announced) > most:
        raise _too_large(most)
    body = bytearray()
    try:
        while piece := stream.read(PIECE_BYTES):
            body += piece
            if len(body) > most:
                raise _too_large(most)
    except OSError as error:
        raise Refusal("malformed_body", "the body ended too early") from error
    return bytes(body)


def _too_large(most: int) -> Refusal:
    return Refusal("body_too_large", f"the body has more than {most} bytes, the most allowed")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")
