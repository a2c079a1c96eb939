"""TensorFlow Serving's REST paths: which request is about what, and the status of its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from dataflow import errors
from dataflow.errors import OpError
from dataflow.proto.serving_classification_pb2 import ClassificationRequest
from dataflow.proto.serving_get_model_metadata_pb2 import GetModelMetadataRequest
from dataflow.proto.serving_get_model_status_pb2 import GetModelStatusRequest
from dataflow.proto.serving_model_pb2 import ModelSpec
from dataflow.proto.serving_predict_pb2 import PredictRequest
from dataflow.proto.serving_regression_pb2 import RegressionRequest
from dataflow.serving import rest_messages as messages
from dataflow.serving.json_values import invalid
from dataflow.serving.service import Service, unexpected

_VERSION = r"(?:/versions/(?P<version>\d+)|/labels/(?P<label>[^/:]+))?"
_PREDICTION: Final = re.compile(
    rf"/v1/models/(?P<name>[^/:]+){_VERSION}:(?P<method>classify|regress|predict)",
    re.IGNORECASE | re.ASCII,
)
_STATUS: Final = re.compile(
    rf"/v1/models(?:/(?P<name>[^/:]+))?{_VERSION}(?:/(?P<method>metadata))?",
    re.IGNORECASE | re.ASCII,
)
_LARGE: Final = 1 << 15
"""Bytes of JSON from which on it is read on another thread than the event loop's."""
HTTP_STATUS: Final = {
    errors.OK: 200,
    errors.CANCELLED: 499,
    errors.INVALID_ARGUMENT: 400,
    errors.DEADLINE_EXCEEDED: 504,
    errors.NOT_FOUND: 404,
    errors.ALREADY_EXISTS: 409,
    errors.PERMISSION_DENIED: 403,
    errors.UNAUTHENTICATED: 401,
    errors.RESOURCE_EXHAUSTED: 429,
    errors.FAILED_PRECONDITION: 400,
    errors.ABORTED: 409,
    errors.OUT_OF_RANGE: 400,
    errors.UNIMPLEMENTED: 501,
    errors.UNAVAILABLE: 503,
}
"""The status of each code; 500 for the others."""


@dataclass(frozen=True)
class RestReply:
    """An answer."""

    status: int
    body: bytes
    model: str = ""
    api: str = ""
    code: int = errors.OK


async def answer(service: Service, method: str, path: str, body: bytes) -> RestReply:
    """Answers an HTTP request; errors are answers, too.

    Args:
      service: Whom it asks.
      method: "GET" or "POST".
      path: As it was sent, with its percent signs and without what follows a question mark.
      body: The JSON.
    """
    found = _STATUS.fullmatch(path) if method == "GET" else None
    if method == "POST":
        found = _PREDICTION.fullmatch(path)
    name = unquote(found["name"]) if found is not None and found["name"] else ""
    api = (found["method"] or "status").lower() if found is not None else ""
    try:
        if found is None:
            raise invalid(f"Malformed request: {method} {path}")
        with service.taking():
            spec = _spec(name, found)
            if api == "status":
                told = await _answer(service, api, spec, body)
            else:
                told = await service.within(lambda: _answer(service, api, spec, body))
        return RestReply(200, told, name, api)
    except OpError as error:
        code, message = error.error_code or errors.UNKNOWN, error.message
    except Exception as error:
        code, message = unexpected(error)
    return RestReply(HTTP_STATUS.get(code, 500), messages.error_json(str(message)), name, api, code)


def _spec(name: str, found: re.Match[str]) -> ModelSpec:
    spec = ModelSpec(name=name)
    if found["version"]:
        number = int(found["version"][:20])
        if number >= 2**63:
            raise invalid(f"Failed to convert version: {found['version']} to numeric.")
        spec.version.value = number
    elif found["label"]:
        spec.version_label = unquote(found["label"])
    return spec


async def _answer(service: Service, api: str, spec: ModelSpec, body: bytes) -> bytes:
    if api == "predict":
        return await _predict(service, spec, body)
    if api == "classify":
        request = ClassificationRequest(model_spec=spec)
        await _read(service, body, messages.fill_examples, request)
        return messages.classifications((await service.classify(request)).result)
    if api == "regress":
        asked = RegressionRequest(model_spec=spec)
        await _read(service, body, messages.fill_examples, asked)
        return messages.regressions((await service.regress(asked)).result)
    if not spec.name:
        raise invalid("Missing model name in request.")
    if api == "metadata":
        wanted = GetModelMetadataRequest(model_spec=spec, metadata_field=["signature_def"])
        return messages.metadata_json(await service.metadata(wanted))
    return messages.status_json(await service.status(GetModelStatusRequest(model_spec=spec)))


async def _read(service: Service, body: bytes, fill: Any, request: Any) -> None:
    if len(body) >= _LARGE:
        await service.on_thread(fill, body, request)
    else:
        fill(body, request)


async def _predict(service: Service, spec: ModelSpec, body: bytes) -> bytes:
    with service.leased(spec) as model:
        request = PredictRequest(model_spec=spec)
        if len(body) >= _LARGE:
            by_row = await service.on_thread(messages.fill_predict, model.meta_graph, body, request)
        else:
            by_row = messages.fill_predict(model.meta_graph, body, request)
        response = await service.predict_with(model, request)
        if response.ByteSize() >= _LARGE:
            told: bytes = await service.on_thread(messages.predictions, response, by_row)
            return told
        return messages.predictions(response, by_row)
