"""SignatureDefs: what a graph is fed and what is fetched of it, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.errors import NotFoundError
from dataflow.graph.tensor import Tensor
from dataflow.proto.meta_graph_pb2 import SignatureDef, TensorInfo
from dataflow.proto.types_pb2 import DT_FLOAT, DT_STRING
from dataflow.saving.saved_model import signature_constants as names
from dataflow.saving.saved_model.tensor_infos import (
    build_tensor_info,
    build_tensor_info_from_op,
    get_element_from_tensor_info,
)


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> SignatureDef:
    """A SignatureDef of these parts.

    Args:
      inputs: TensorInfos by the names of the inputs.
      outputs: TensorInfos by the names of the outputs.
      method_name: What a server takes the signature for.
      defaults: Constants by the names of inputs that may be left out.

    Raises:
      ValueError: A default is no constant.
    """
    result = SignatureDef()
    for key, info in (inputs or {}).items():
        result.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        result.outputs[key].CopyFrom(info)
    if method_name is not None:
        result.method_name = method_name
    for key, default in (defaults or {}).items():
        if default.op.type != "Const":
            raise ValueError(
                f"Unable to convert object {default} of type {type(default)} to TensorProto."
            )
        result.defaults[key].CopyFrom(default.op.get_attr("value"))
    return result


def regression_signature_def(examples: Any, predictions: Any) -> SignatureDef:
    """The signature of a regression, for servers.

    Args:
      examples: A string tensor that takes serialized Examples.
      predictions: A float32 tensor.

    Raises:
      ValueError: One of them is None or of another type.
    """
    if examples is None:
        raise ValueError("Regression examples cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError("Regression examples must be a string Tensor.")
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    given, made = build_tensor_info(examples), build_tensor_info(predictions)
    if given.dtype != DT_STRING:
        raise ValueError("Regression examples must be a string Tensor.")
    if made.dtype != DT_FLOAT:
        raise ValueError("Regression output must be a float Tensor.")
    return build_signature_def(
        {names.REGRESS_INPUTS: given}, {names.REGRESS_OUTPUTS: made}, names.REGRESS_METHOD_NAME
    )


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> SignatureDef:
    """The signature of a classification, for servers.

    Args:
      examples: A string tensor that takes serialized Examples.
      classes: A string tensor, or None.
      scores: A float32 tensor, or None.

    Raises:
      ValueError: There are no examples, neither classes nor scores, or one is of another type.
    """
    if examples is None:
        raise ValueError("Classification examples cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError("Classification examples must be a string Tensor.")
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    given = build_tensor_info(examples)
    if given.dtype != DT_STRING:
        raise ValueError("Classification examples must be a string Tensor.")
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = info = build_tensor_info(classes)
        if info.dtype != DT_STRING:
            raise ValueError("Classification classes must be a string Tensor.")
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = info = build_tensor_info(scores)
        if info.dtype != DT_FLOAT:
            raise ValueError("Classification scores must be a float Tensor.")
    return build_signature_def({names.CLASSIFY_INPUTS: given}, outputs, names.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> SignatureDef:
    """The signature of a prediction, for servers.

    Args:
      inputs: Tensors by name.
      outputs: Tensors by name.

    Raises:
      ValueError: There are no inputs, or no outputs.
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), names.PREDICT_METHOD_NAME)


def supervised_train_signature_def(
    inputs: Mapping[str, Any],
    loss: Mapping[str, Any] | None,
    predictions: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> SignatureDef:
    """The signature of a step of training.

    Args:
      inputs: Tensors by name.
      loss: Tensors by name.
      predictions: Tensors by name.
      metrics: Tensors by name.

    Raises:
      ValueError: There are no inputs.
    """
    method = names.SUPERVISED_TRAIN_METHOD_NAME
    return _supervised(method, inputs, (loss, predictions, metrics))


def supervised_eval_signature_def(
    inputs: Mapping[str, Any],
    loss: Mapping[str, Any] | None,
    predictions: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> SignatureDef:
    """The signature of an evaluation; see `supervised_train_signature_def`."""
    method = names.SUPERVISED_EVAL_METHOD_NAME
    return _supervised(method, inputs, (loss, predictions, metrics))


def _supervised(
    method: str, inputs: Mapping[str, Any], outputs: tuple[Mapping[str, Any] | None, ...]
) -> SignatureDef:
    if not inputs:
        raise ValueError(f"{method} inputs cannot be None or empty.")
    made: dict[str, TensorInfo] = {}
    for each in outputs:
        made.update(_infos(each or {}))
    return build_signature_def(_infos(inputs), made, method)


def _infos(tensors: Mapping[str, Any]) -> dict[str, TensorInfo]:
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a server can serve a signature: its method is known and has the right tensors."""
    if signature_def is None:
        return False
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == names.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if signature_def.method_name == names.REGRESS_METHOD_NAME:
        return _has(inputs, {names.REGRESS_INPUTS: DT_STRING}) and _has(
            outputs, {names.REGRESS_OUTPUTS: DT_FLOAT}
        )
    if signature_def.method_name == names.CLASSIFY_METHOD_NAME:
        known = {
            names.CLASSIFY_OUTPUT_CLASSES: DT_STRING,
            names.CLASSIFY_OUTPUT_SCORES: DT_FLOAT,
        }
        wanted = {key: known[key] for key in outputs if key in known}
        return (
            _has(inputs, {names.CLASSIFY_INPUTS: DT_STRING})
            and bool(wanted)
            and _has(outputs, wanted)
        )
    return False


def _has(infos: Mapping[str, TensorInfo], wanted: Mapping[str, Any]) -> bool:
    return {key: info.dtype for key, info in infos.items()} == dict(wanted)


def op_signature_def(op: Any, key: str) -> SignatureDef:
    """A signature whose only output names an operation, or a tensor, under a key."""
    return build_signature_def(outputs={key: build_tensor_info_from_op(op)})


def load_op_from_signature_def(
    signature_def: SignatureDef, key: str, import_scope: str | None = None
) -> Any:
    """The operation or tensor in the default graph that `op_signature_def` was given.

    Args:
      signature_def: The signature.
      key: The key of the output.
      import_scope: The name scope that the graph was imported into.

    Raises:
      NotFoundError: The graph lacks it.
    """
    try:
        return get_element_from_tensor_info(signature_def.outputs[key], import_scope=import_scope)
    except KeyError:
        raise NotFoundError(
            None,
            None,
            f'The key "{key}" could not be found in the graph. Please make sure the SavedModel was '
            "created by the internal _SavedModelBuilder. If you are using the public API, please "
            "make sure the SignatureDef in the SavedModel does not contain the key "
            f'"{key}".',
        ) from None
