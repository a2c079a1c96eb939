"""Requests as feeds and fetches, and what was fetched as responses: pure functions of messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError, InvalidArgumentError, UnimplementedError
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef
from dataflow.proto.serving_classification_pb2 import (
    ClassificationRequest,
    ClassificationResponse,
    ClassificationResult,
)
from dataflow.proto.serving_inference_pb2 import MultiInferenceRequest, MultiInferenceResponse
from dataflow.proto.serving_input_pb2 import Input
from dataflow.proto.serving_model_pb2 import ModelSpec
from dataflow.proto.serving_predict_pb2 import PredictRequest, PredictResponse
from dataflow.proto.serving_regression_pb2 import (
    RegressionRequest,
    RegressionResponse,
    RegressionResult,
)
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.proto.types_pb2 import DataType
from dataflow.saving.saved_model import signature_constants as keys
from dataflow.serving.signatures import (
    input_values,
    method_signature,
    output_aliases,
    predict_signature,
    shape_text,
    tensor_name,
)
from dataflow.values.dtypes import as_dtype
from dataflow.values.tensor_proto import encode_tensor, listed_tensor_proto

Finish = Callable[[Sequence[np.ndarray]], Any]


@dataclass(frozen=True)
class Work:
    """A step to run for a request."""

    feeds: Mapping[str, np.ndarray]
    """By the names of tensors."""
    fetches: tuple[str, ...]
    finish: Finish
    """Makes the response of what was fetched."""
    examples: int = 0


def predict_work(meta_graph: MetaGraphDef, request: PredictRequest, most_bytes: int) -> Work:
    """The step of a PredictRequest.

    Raises:
      OpError: It does not fit the signature.
    """
    name, signature = predict_signature(meta_graph, request.model_spec.signature_name)
    feeds = input_values(signature, request.inputs, most_bytes)
    aliases = output_aliases(signature, request.output_filter)

    def finish(values: Sequence[np.ndarray]) -> PredictResponse:
        response = PredictResponse(model_spec=ModelSpec(signature_name=name))
        for alias, value in zip(aliases, values, strict=True):
            _write(np.asarray(value), response.outputs[alias])
        return response

    names = tuple(tensor_name(signature.outputs[alias], alias) for alias in aliases)
    return Work(feeds, names, finish)


def _write(array: np.ndarray, out: TensorProto) -> None:
    """As TensorFlow Serving does: numbers in the fields of their types, where clients read them."""
    if array.dtype == object:
        encode_tensor(array, out)
    else:
        out.CopyFrom(listed_tensor_proto(array))


def classify_work(meta_graph: MetaGraphDef, request: ClassificationRequest) -> Work:
    """The step of a ClassificationRequest.

    Raises:
      OpError: It does not fit the signature.
    """
    method = keys.CLASSIFY_METHOD_NAME
    name = request.model_spec.signature_name
    signature = method_signature(meta_graph, name, "classification", method)
    fed, names = _classification_ends(signature)
    examples = serialized_examples(request.input)

    def finish(values: Sequence[np.ndarray]) -> ClassificationResponse:
        response = ClassificationResponse(model_spec=_spec(name))
        found = dict(zip(names, values, strict=True))
        response.result.CopyFrom(_classifications(signature, len(examples), found))
        return response

    return Work({fed: examples}, tuple(names), finish, len(examples))


def regress_work(meta_graph: MetaGraphDef, request: RegressionRequest) -> Work:
    """The step of a RegressionRequest.

    Raises:
      OpError: It does not fit the signature.
    """
    method = keys.REGRESS_METHOD_NAME
    name = request.model_spec.signature_name
    signature = method_signature(meta_graph, name, "regression", method)
    fed, fetched = _regression_ends(signature)
    examples = serialized_examples(request.input)

    def finish(values: Sequence[np.ndarray]) -> RegressionResponse:
        response = RegressionResponse(model_spec=_spec(name))
        response.result.CopyFrom(_regressions(len(examples), values[0]))
        return response

    return Work({fed: examples}, (fetched,), finish, len(examples))


def multi_inference_work(meta_graph: MetaGraphDef, request: MultiInferenceRequest) -> Work:
    """The one step of all tasks of a MultiInferenceRequest.

    Raises:
      OpError: The tasks do not fit their signatures, or not each other.
    """
    inputs: set[str] = set()
    fetches: dict[str, None] = {}
    signatures: dict[str, SignatureDef] = {}
    if len({task.model_spec.name for task in request.tasks}) > 1:
        raise _invalid("All ModelSpecs in a MultiInferenceRequest must access the same model name.")
    for task in request.tasks:
        name = task.model_spec.signature_name or keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if name in signatures:
            raise _invalid(f"Duplicate evaluation of signature: {name}")
        if name not in meta_graph.signature_def:
            raise _invalid(f"Requested signature not found in model graph: {name}")
        signatures[name] = signature = meta_graph.signature_def[name]
        if task.method_name == keys.CLASSIFY_METHOD_NAME:
            fed, names = _classification_ends(signature)
        elif task.method_name == keys.REGRESS_METHOD_NAME:
            fed, fetched = _regression_ends(signature)
            names = [fetched]
        else:
            raise UnimplementedError(
                None, None, f"Unsupported signature method_name: {task.method_name}"
            )
        inputs.add(fed)
        fetches.update(dict.fromkeys(names))
    if len(inputs) != 1:
        raise _invalid("Input tensor must be the same for all Signatures.")
    examples = serialized_examples(request.input)

    def finish(values: Sequence[np.ndarray]) -> MultiInferenceResponse:
        found = dict(zip(fetches, values, strict=True))
        response = MultiInferenceResponse()
        for task, (name, signature) in zip(request.tasks, signatures.items(), strict=True):
            result = response.results.add(model_spec=_spec(name))
            if task.method_name == keys.CLASSIFY_METHOD_NAME:
                classes = _classifications(signature, len(examples), found)
                result.classification_result.CopyFrom(classes)
            else:
                value = found[signature.outputs[keys.REGRESS_OUTPUTS].name]
                result.regression_result.CopyFrom(_regressions(len(examples), value))
        return response

    return Work({inputs.pop(): examples}, tuple(fetches), finish, len(examples))


def serialized_examples(given: Input) -> np.ndarray:
    """Examples as a vector of strings, each with the context before it.

    Raises:
      InvalidArgumentError: There are none.
    """
    context = b""
    examples = given.example_list.examples
    if given.WhichOneof("kind") == "example_list_with_context":
        examples = given.example_list_with_context.examples
        context = given.example_list_with_context.context.SerializeToString()
    if not examples:
        raise _invalid("Input is empty.")
    found = np.empty([len(examples)], object)
    found[:] = [context + each.SerializeToString() for each in examples]
    return found


def _classification_ends(signature: SignatureDef) -> tuple[str, list[str]]:
    method = keys.CLASSIFY_METHOD_NAME
    if signature.method_name != method:
        raise _invalid(
            f"Expected classification signature method_name to be {method}. Was: "
            f"{signature.method_name}"
        )
    if len(signature.inputs) != 1:
        raise _invalid("Expected one input Tensor.")
    if len(signature.outputs) not in (1, 2):
        raise _invalid(f"Expected one or two output Tensors, found {len(signature.outputs)}")
    if keys.CLASSIFY_INPUTS not in signature.inputs:
        raise _failed(f"No classification inputs found in SignatureDef: {signature}")
    names = [
        tensor_name(signature.outputs[alias], alias)
        for alias in (keys.CLASSIFY_OUTPUT_CLASSES, keys.CLASSIFY_OUTPUT_SCORES)
        if alias in signature.outputs
    ]
    if not names:
        raise _failed(
            "Expected classification signature outputs to contain at least one of "
            f'"{keys.CLASSIFY_OUTPUT_CLASSES}" or "{keys.CLASSIFY_OUTPUT_SCORES}". Signature was: '
            f"{signature}"
        )
    fed = signature.inputs[keys.CLASSIFY_INPUTS]
    return tensor_name(fed, keys.CLASSIFY_INPUTS), names


def _regression_ends(signature: SignatureDef) -> tuple[str, str]:
    method = keys.REGRESS_METHOD_NAME
    if signature.method_name != method:
        raise _invalid(
            f"Expected regression signature method_name to be {method}. Was: "
            f"{signature.method_name}"
        )
    for kind, there, key in (
        ("input", signature.inputs, keys.REGRESS_INPUTS),
        ("output", signature.outputs, keys.REGRESS_OUTPUTS),
    ):
        if len(there) != 1:
            raise _invalid(f"Expected one {kind} Tensor.")
        if key not in there:
            raise _failed(f"No regression {kind}s found in SignatureDef: {signature}")
    fed, fetched = signature.inputs[keys.REGRESS_INPUTS], signature.outputs[keys.REGRESS_OUTPUTS]
    return tensor_name(fed, keys.REGRESS_INPUTS), tensor_name(fetched, keys.REGRESS_OUTPUTS)


def _classifications(
    signature: SignatureDef, count: int, found: Mapping[str, np.ndarray]
) -> ClassificationResult:
    def of(key: str, number: int) -> np.ndarray | None:
        if key not in signature.outputs:
            return None
        array = np.asarray(found[signature.outputs[key].name])
        if array.ndim != 2:
            raise _invalid(
                f"Expected Tensor shape: [batch_size num_classes] but got {shape_text(array)}"
            )
        if as_dtype(array.dtype).as_datatype_enum != number:
            got = DataType.Name(as_dtype(array.dtype).as_datatype_enum)
            kind = DataType.Name(number)
            raise _invalid(f"Expected {key} Tensor of {kind}. Got: {got}")
        if len(array) != count:
            raise _invalid(f"Expected {key} output batch size of {count}. Got: {len(array)}")
        return array

    classes = of(keys.CLASSIFY_OUTPUT_CLASSES, DataType.DT_STRING)
    scores = of(keys.CLASSIFY_OUTPUT_SCORES, DataType.DT_FLOAT)
    if classes is not None and scores is not None and classes.shape != scores.shape:
        raise _invalid(
            "Tensors class and score should match in dim_size(1). Got "
            f"{classes.shape[1]} vs. {scores.shape[1]}"
        )
    result = ClassificationResult()
    for row in range(count):
        entry = result.classifications.add()
        labels = None if classes is None else classes[row].tolist()
        values = None if scores is None else scores[row].tolist()
        for column in range(len(labels if labels is not None else values or ())):
            one = entry.classes.add()
            if labels is not None:
                one.label = labels[column].decode("utf-8", "replace")
            if values is not None:
                one.score = values[column]
    return result


def _regressions(count: int, value: np.ndarray) -> RegressionResult:
    array = np.asarray(value)
    if not (array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1)):
        raise _invalid(
            "Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got "
            f"{shape_text(array)}"
        )
    if len(array) != count:
        raise _invalid(
            f"Input batch size did not match output batch size: {count} vs. {len(array)}"
        )
    if array.dtype != np.float32:
        got = DataType.Name(as_dtype(array.dtype).as_datatype_enum)
        raise _invalid(f"Expected output Tensor of DT_FLOAT.  Got: {got}")
    result = RegressionResult()
    for each in array.reshape(-1).tolist():
        result.regressions.add(value=each)
    return result


def _spec(name: str) -> ModelSpec:
    return ModelSpec(signature_name=name or keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY)


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _failed(message: str) -> FailedPreconditionError:
    return FailedPreconditionError(None, None, message)
