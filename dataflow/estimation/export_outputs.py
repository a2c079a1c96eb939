"""What a model shows to those that ask it once it is exported, and the signatures of that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.proto.meta_graph_pb2 import SignatureDef, TensorInfo
from dataflow.values import dtypes

DEFAULT_KEY: Final = "serving_default"
"""The signature that is used where none is named."""

_CLASSIFY: Final = "tensorflow/serving/classify"
_REGRESS: Final = "tensorflow/serving/regress"
_PREDICT: Final = "tensorflow/serving/predict"


class ExportOutput(ABC):
    """A head of an exported model."""

    __slots__ = ()

    _SEPARATOR_CHAR: ClassVar[str] = "/"

    @abstractmethod
    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """The signature that leads from these inputs to this output."""


class ClassificationOutput(ExportOutput):
    """Classes and their scores."""

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        """Takes tensors, at least one of both.

        Args:
          scores: Floats.
          classes: Strings.

        Raises:
          ValueError: They are of other types, or neither is given.
        """
        if scores is not None and not (isinstance(scores, Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (
            isinstance(classes, Tensor) and classes.dtype.base_dtype == dtypes.string
        ):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores = scores
        self._classes = classes

    @property
    def scores(self) -> Any:
        """The scores, or None."""
        return self._scores

    @property
    def classes(self) -> Any:
        """The classes, or None."""
        return self._classes

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`; the only input must be of serialized examples."""
        examples = _only_examples(receiver_tensors, "Classification")
        outputs = {}
        if self._classes is not None:
            outputs["classes"] = self._classes
        if self._scores is not None:
            outputs["scores"] = self._scores
        return signature({"inputs": examples}, outputs, _CLASSIFY)


class RegressionOutput(ExportOutput):
    """Numbers."""

    def __init__(self, value: Any) -> None:
        """Takes a tensor of floats.

        Raises:
          ValueError: It is of another type.
        """
        if not (isinstance(value, Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    @property
    def value(self) -> Tensor:
        """The tensor."""
        return self._value

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`; the only input must be of serialized examples."""
        examples = _only_examples(receiver_tensors, "Regression")
        return signature({"inputs": examples}, {"outputs": self._value}, _REGRESS)


class PredictOutput(ExportOutput):
    """Any tensors, by name."""

    _SINGLE_OUTPUT_DEFAULT_NAME: ClassVar[str] = "output"

    def __init__(self, outputs: Any) -> None:
        """Takes a tensor, which is called "output" then, or a dictionary of tensors.

        Raises:
          ValueError: A name is no string, or a value no tensor.
        """
        self._outputs = _named_tensors(outputs, self._SINGLE_OUTPUT_DEFAULT_NAME)

    @property
    def outputs(self) -> dict[str, Tensor]:
        """The tensors."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`."""
        return signature(receiver_tensors, self._outputs, _PREDICT)


class SupervisedOutput(ExportOutput):
    """What training or evaluation gives: the loss, predictions and metrics."""

    method: ClassVar[str]

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        """Takes what an EstimatorSpec has, each of it or None."""
        self._outputs: dict[str, Any] = {}
        if loss is not None:
            self._outputs.update(_prefixed(_named_tensors(loss, "loss"), "loss"))
        if predictions is not None:
            tensors = _named_tensors(predictions, "predictions")
            self._outputs.update(_prefixed(tensors, "predictions"))
        for name, (value, update) in (metrics or {}).items():
            base = _prefixed({name: None}, "metrics")
            (key,) = base
            self._outputs[f"{key}/value"] = value
            self._outputs[f"{key}/update_op"] = _as_output(update)

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`."""
        return signature(receiver_tensors, self._outputs, self.method)


class TrainOutput(SupervisedOutput):
    """What training gives."""

    method = "tensorflow/supervised/training"


class EvalOutput(SupervisedOutput):
    """What evaluation gives."""

    method = "tensorflow/supervised/eval"


def signature(
    inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor], method: str
) -> SignatureDef:
    """A SignatureDef of tensors by name."""
    return SignatureDef(
        inputs={name: _tensor_info(each) for name, each in inputs.items()},
        outputs={name: _tensor_info(each) for name, each in outputs.items()},
        method_name=method,
    )


def _tensor_info(value: Any) -> TensorInfo:
    shape = value.get_shape().as_proto()
    dtype = value.dtype.base_dtype.as_datatype_enum
    parts = [getattr(value, name, None) for name in ("values", "indices", "dense_shape")]
    if all(isinstance(part, Tensor) for part in parts):
        values, indices, dense_shape = (part.name for part in parts)  # type: ignore[union-attr]
        sparse = TensorInfo.CooSparse(
            values_tensor_name=values,
            indices_tensor_name=indices,
            dense_shape_tensor_name=dense_shape,
        )
        return TensorInfo(dtype=dtype, tensor_shape=shape, coo_sparse=sparse)
    return TensorInfo(name=value.name, dtype=dtype, tensor_shape=shape)


def _only_examples(receivers: Mapping[str, Tensor], kind: str) -> Tensor:
    if len(receivers) != 1:
        raise ValueError(f"{kind} input must be a single string Tensor; got {receivers}")
    ((_, examples),) = receivers.items()
    if examples.dtype.base_dtype != dtypes.string:
        raise ValueError(f"{kind} input must be a single string Tensor; got {receivers}")
    return examples


def _as_output(update: Any) -> Any:
    """An update as a tensor; an operation is none, but what follows it is."""
    if not isinstance(update, Operation):
        return convert_to_tensor(update)
    with scopes.control_dependencies([update]):
        return constant([], dtypes.float32, name="metric_op_wrapper")


def _named_tensors(outputs: Any, name: str) -> dict[str, Tensor]:
    if not isinstance(outputs, Mapping):
        outputs = {name: outputs}
    for key, value in outputs.items():
        if not isinstance(key, str):
            raise ValueError(f"Prediction output key must be a string; got {key}.")
        if not isinstance(value, Tensor):
            raise ValueError(f"Prediction output value must be a Tensor; got {value}.")
    return dict(outputs)


def _prefixed(outputs: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {
        key if key == prefix or key.startswith(f"{prefix}/") else f"{prefix}/{key}": value
        for key, value in outputs.items()
    }
