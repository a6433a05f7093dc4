"""What the OpenAPI document says of each call: drf-spectacular asks, operations.py answers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiRequest, OpenApiResponse

from batch.api import examples, shapes
from batch.api.codes import CODES
from batch.api.operations import HEADERS, JSON, OPERATIONS, Operation

PROBLEM = "application/problem+json"


class Schema(AutoSchema):
    """Tells drf-spectacular what OPERATIONS say."""

    def is_excluded(self) -> bool:
        return (type(self.view).__name__, self.method) not in OPERATIONS

    def _operation(self) -> Operation:
        return OPERATIONS[type(self.view).__name__, self.method]

    def get_operation_id(self) -> str:
        return self._operation().name

    def get_summary(self) -> str:
        return self._operation().summary

    def get_description(self) -> str:  # type: ignore[override]
        return self._operation().told

    def get_tags(self) -> list[str]:
        return [self._operation().tag]

    def get_override_parameters(self) -> list[Any]:
        return [*self._operation().parameters, *HEADERS]

    def get_request_serializer(self) -> Any:
        body = self._operation().body
        shown = [OpenApiExample("submission", examples.SUBMISSION)]
        return body and {JSON: OpenApiRequest(body, examples=shown)}

    def get_response_serializers(self) -> Any:
        operation = self._operation()
        answers: dict[Any, Any] = {}
        for (code, media), shape in operation.answers.items():
            value = examples.ANSWERS.get((operation.name, code))
            shown = [OpenApiExample("answer", value)] if value else []
            told = HTTPStatus(code).phrase
            answers[(code, media) if media else code] = OpenApiResponse(shape, told, shown)
        codes: dict[int, list[str]] = {}
        for name in (*operation.refusals, *operation.anywhere):
            codes.setdefault(CODES[name].status.value, []).append(name)
        for status, names in codes.items():
            answers[status, PROBLEM] = OpenApiResponse(shapes.Problem, ", ".join(names))
        return answers

    def get_operation(self, *args: Any) -> Any:
        told: Any = super().get_operation(*args)
        operation = self._operation()
        for name in (*operation.refusals, *operation.anywhere):
            content = told["responses"][str(CODES[name].status.value)]["content"][PROBLEM]
            content.setdefault("examples", {})[name] = {"$ref": f"#/components/examples/{name}"}
        for code, _ in operation.answers if operation.links else ():
            told["responses"][str(code)]["links"] = {
                name: {"operationId": name, "parameters": {"job_id": "$response.body#/id"}}
                for name in operation.links
            }
        return told
