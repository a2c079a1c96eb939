"""Requests from JSON and responses as JSON: predict, classify, regress, status and metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from google.protobuf.json_format import MessageToDict, MessageToJson

from dataflow.errors import InvalidArgumentError
from dataflow.proto.example_pb2 import Example
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, TensorInfo
from dataflow.proto.serving_classification_pb2 import ClassificationResult
from dataflow.proto.serving_get_model_metadata_pb2 import (
    GetModelMetadataResponse,
    SignatureDefMap,
)
from dataflow.proto.serving_get_model_status_pb2 import GetModelStatusResponse
from dataflow.proto.serving_predict_pb2 import PredictRequest, PredictResponse
from dataflow.proto.serving_regression_pb2 import RegressionResult
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.serving.json_values import (
    array_of,
    dumped,
    feature_lists,
    invalid,
    is_binary,
    listed,
    parse_object,
    shortest,
    shown,
)
from dataflow.values.tensor_proto import decode_tensor, encode_tensor

_KINDS = {list: "Array", str: "String", int: "Number", float: "Number", bool: "True"}


def fill_predict(meta_graph: MetaGraphDef, body: bytes, request: PredictRequest) -> bool:
    """Fills a request with the tensors in a JSON object.

    Returns:
      Whether the tensors were sent row by row.

    Raises:
      InvalidArgumentError: The object is malformed, or does not fit the signature.
    """
    document = parse_object(body)
    fill_signature(document, request)
    name = request.model_spec.signature_name
    wanted = name or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if wanted not in meta_graph.signature_def:
        raise invalid(f'Serving signature name: "{wanted}" not found in signature def')
    infos = meta_graph.signature_def[wanted].inputs
    if not infos:
        raise invalid(f"Failed to get input map for signature: {name or 'DEFAULT'}")
    by_row = "instances" in document
    if by_row and "inputs" in document:
        raise invalid(
            f"JSON Value: {shown(document)} Not formatted correctly expecting only one of "
            "'inputs' or 'instances' keys to exist "
        )
    if by_row:
        instances = document["instances"]
        if not isinstance(instances, list):
            raise invalid(
                f"JSON Value: {shown(document)} Excepting 'instances' to be an list/array"
            )
        if not instances:
            raise invalid(f"JSON Value: {shown(document)} No values in 'instances' array")
        arrays = _rows(instances, infos)
    elif "inputs" in document:
        arrays = _columns(document["inputs"], infos)
    else:
        raise invalid("Missing 'inputs' or 'instances' key")
    for alias, array in arrays.items():
        encode_tensor(array, request.inputs[alias])
    return by_row


def fill_signature(document: Mapping[str, Any], request: Any) -> None:
    """Takes the name of the signature over.

    Raises:
      InvalidArgumentError: It is no name.
    """
    if "signature_name" in document:
        name = document["signature_name"]
        if not isinstance(name, str):
            raise invalid(
                f"JSON Value: {shown(document)} not formatted correctly. 'signature_name' key must "
                "be a string value."
            )
        request.model_spec.signature_name = name


def _rows(instances: list[Any], infos: Mapping[str, TensorInfo]) -> dict[str, np.ndarray]:
    first = instances[0]
    if not isinstance(first, dict) and len(infos) > 1:
        raise invalid(
            "instances is a plain list, but expecting list of objects as multiple input tensors "
            "required as per tensorinfo_map"
        )
    if not _is_object(first):
        alias = next(iter(infos))
        for index, each in enumerate(instances):
            if _is_object(each):
                raise invalid(f"Expecting value/list but got object at item {index} of input list")
        return {alias: _stacked(instances, alias, infos, "")}
    for index, each in enumerate(instances):
        if not _is_object(each):
            raise invalid(f"Expecting object but got list at item {index} of input list")
        if each.keys() != infos.keys():
            for key in each:
                if key not in infos:
                    raise invalid(
                        f"Failed to process element: {index} key: {key} of 'instances' list. "
                        "Error: INVALID_ARGUMENT: JSON object: does not have named input: "
                        f"{key}"
                    )
            raise invalid(
                f"Failed to process element: {index} of 'instances' list. JSON object: "
                f"{shown(each)} keys must be equal to: {','.join(sorted(infos))}"
            )
    return {
        alias: _stacked([each[alias] for each in instances], alias, infos, f" key: {alias}")
        for alias in infos
    }


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and not is_binary(value)


def _stacked(
    values: list[Any], alias: str, infos: Mapping[str, TensorInfo], key: str
) -> np.ndarray:
    number = infos[alias].dtype
    try:
        return array_of(values, number)
    except InvalidArgumentError:
        pass
    shape: tuple[int, ...] | None = None
    for index, each in enumerate(values):
        try:
            array = array_of(each, number)
            if shape is not None and array.size != np.prod(shape, dtype=int):
                size = int(np.prod(shape, dtype=int))
                raise invalid(f"Expecting tensor size: {size} but got: {array.size}")
            if shape is not None and array.shape != shape:
                raise invalid(f"Expecting shape {_text(shape)} but got: {_text(array.shape)}")
            shape = array.shape
        except InvalidArgumentError as error:
            raise invalid(
                f"Failed to process element: {index}{key} of 'instances' list. Error: "
                f"INVALID_ARGUMENT: {error.message}"
            ) from None
    return array_of(values, number)


def _text(shape: Iterable[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _columns(value: Any, infos: Mapping[str, TensorInfo]) -> dict[str, np.ndarray]:
    if not isinstance(value, dict) or is_binary(value):
        if len(infos) > 1:
            raise invalid(
                "inputs is a plain value/list, but expecting an object as multiple input tensors "
                "required as per tensorinfo_map"
            )
        alias = next(iter(infos))
        return {alias: array_of(value, infos[alias].dtype)}
    for alias in sorted(infos):
        if alias not in value:
            raise invalid(f"Missing named input: {alias} in 'inputs' object.")
    return {alias: array_of(value[alias], infos[alias].dtype) for alias in infos}


def predictions(response: PredictResponse, by_row: bool) -> bytes:
    """The JSON of a response.

    Raises:
      InvalidArgumentError: The outputs are no rows, or of a type that JSON cannot show.
    """
    arrays = {alias: decode_tensor(response.outputs[alias]) for alias in sorted(response.outputs)}
    if not arrays:
        raise invalid("Cannot convert empty tensor map to JSON")
    if by_row:
        _check_rows(arrays)
    values = {
        alias: listed(array, array.dtype == object and alias.endswith("_bytes"))
        for alias, array in arrays.items()
    }
    if len(values) == 1:
        return dumped({"predictions" if by_row else "outputs": next(iter(values.values()))})
    if not by_row:
        return dumped({"outputs": values})
    rows = zip(*values.values(), strict=True)
    return dumped({"predictions": [dict(zip(values, row, strict=True)) for row in rows]})


def _check_rows(arrays: Mapping[str, np.ndarray]) -> None:
    rows = -1
    for alias, array in arrays.items():
        if array.ndim == 0:
            raise invalid(f"Tensor name: {alias} has no shape information ")
        if rows >= 0 and len(array) != rows:
            raise invalid(
                f"Tensor name: {alias} has inconsistent batch size: {len(array)} expecting: {rows}"
            )
        rows = len(array)


def fill_examples(body: bytes, request: Any) -> None:
    """Fills a request with the examples in a JSON object.

    Raises:
      InvalidArgumentError: The object is malformed.
    """
    document = parse_object(body)
    fill_signature(document, request)
    held = request.input.example_list
    if "context" in document:
        held = request.input.example_list_with_context
        _fill_example(document["context"], held.context)
    if "examples" not in document:
        raise invalid(
            f"JSON Value: {shown(document)} When method is classify, key 'examples' is expected "
            "and was not found"
        )
    examples = document["examples"]
    if not isinstance(examples, list):
        raise invalid(
            f"JSON Value: {shown(document)} Expecting 'examples' value to be an list/array"
        )
    if not examples:
        raise invalid(f"JSON Value: {shown(document)} 'examples' value is an empty array")
    for each in examples:
        _fill_example(each, held.examples.add())


def _fill_example(content: Any, example: Example) -> None:
    if not isinstance(content, dict):
        kind = "Null" if content is None else _KINDS[type(content)]
        raise invalid(f"Example must be JSON object but got JSON {kind}")
    for name, (kind, values) in feature_lists(content).items():
        feature = example.features.feature[name]
        if kind:
            getattr(feature, kind).value.extend(values)


def classifications(result: ClassificationResult) -> bytes:
    """The JSON of classes.

    Raises:
      InvalidArgumentError: There are none.
    """
    if not result.classifications:
        raise invalid("Cannot convert empty ClassificationResults to JSON")
    scores = shortest(
        np.array([one.score for each in result.classifications for one in each.classes], np.float32)
    ).tolist()
    following = iter(scores)
    return dumped(
        {
            "results": [
                [[one.label, next(following)] for one in each.classes]
                for each in result.classifications
            ]
        }
    )


def regressions(result: RegressionResult) -> bytes:
    """The JSON of values.

    Raises:
      InvalidArgumentError: There are none.
    """
    if not result.regressions:
        raise invalid("Cannot convert empty RegressionResults to JSON")
    values = np.array([each.value for each in result.regressions], np.float32)
    return dumped({"results": shortest(values).tolist()})


def status_json(response: GetModelStatusResponse) -> bytes:
    """The JSON of the states of versions."""
    return MessageToJson(
        response,
        indent=1,
        always_print_fields_with_no_presence=True,
        preserving_proto_field_name=True,
    ).encode()


def metadata_json(response: GetModelMetadataResponse) -> bytes:
    """The JSON of a model's signatures."""
    signatures = SignatureDefMap.FromString(response.metadata["signature_def"].value)
    parts = [
        MessageToDict(
            each, always_print_fields_with_no_presence=True, preserving_proto_field_name=True
        )
        for each in (response.model_spec, signatures)
    ]
    told = {"model_spec": parts[0], "metadata": {"signature_def": parts[1]}}
    return json.dumps(told, indent=1).encode()


def error_json(message: str) -> bytes:
    """The JSON of an error."""
    return dumped({"error": message})
