"""What a model shows to those that ask it once it is exported, and the signatures of that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from dataflow.graph import scopes
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
        self._outputs = _named_tensors(outputs, self._SINGLE_OUTPUT_DEFAULT_NAME, "Prediction")

    @property
    def outputs(self) -> dict[str, Tensor]:
        """The tensors."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`."""
        return signature(receiver_tensors, self._outputs, _PREDICT)


class SupervisedOutput(ExportOutput):
    """What training or evaluation gives: the loss, predictions and metrics."""

    LOSS_NAME: ClassVar[str] = "loss"
    PREDICTIONS_NAME: ClassVar[str] = "predictions"
    METRICS_NAME: ClassVar[str] = "metrics"
    METRIC_VALUE_SUFFIX: ClassVar[str] = "value"
    METRIC_UPDATE_SUFFIX: ClassVar[str] = "update_op"
    method: ClassVar[str] = ""

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        """Takes what an EstimatorSpec has, each of it or None.

        Args:
          loss: A tensor, or a dictionary of tensors.
          predictions: As `loss`.
          metrics: A pair of value and update, a Keras metric, or a dictionary of those.

        Raises:
          ValueError: A name is no string or tuple of strings, or a value no tensor.
        """
        self._loss = _under(loss, self.LOSS_NAME)
        self._predictions = _under(predictions, self.PREDICTIONS_NAME)
        self._metrics = None if metrics is None else self._measured(metrics)

    @property
    def loss(self) -> dict[str, Tensor] | None:
        """The loss by name, or None."""
        return self._loss

    @property
    def predictions(self) -> dict[str, Tensor] | None:
        """The predictions by name, or None."""
        return self._predictions

    @property
    def metrics(self) -> dict[str, Tensor] | None:
        """Values and updates of metrics by name, or None."""
        return self._metrics

    def _measured(self, metrics: Any) -> dict[str, Any]:
        name = self.METRICS_NAME
        found: dict[str, Any] = {}
        for key, metric in (metrics if isinstance(metrics, Mapping) else {name: metrics}).items():
            base = _prefixed(_checked_key(key, name), name)
            value, update = metric if isinstance(metric, tuple) else _of_metric(metric)
            if not isinstance(value, Tensor):
                raise ValueError(f"{base} output value must be a Tensor; got {value}.")
            if not isinstance(update, (Tensor, Operation)):
                raise ValueError(f"{base} update_op must be a Tensor or Operation; got {update}.")
            found[f"{base}/{self.METRIC_VALUE_SUFFIX}"] = value
            found[f"{base}/{self.METRIC_UPDATE_SUFFIX}"] = _as_output(update)
        return found

    def _get_signature_def_fn(self) -> Callable[..., SignatureDef]:
        """What makes the signature of inputs, loss, predictions and metrics; subclasses may."""

        def make(
            inputs: Mapping[str, Tensor], loss: Any, predictions: Any, metrics: Any
        ) -> SignatureDef:
            named = {**(loss or {}), **(predictions or {}), **(metrics or {})}
            return signature(inputs, named, self.method)

        return make

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """See `ExportOutput`."""
        make = self._get_signature_def_fn()
        return make(receiver_tensors, self.loss, self.predictions, self.metrics)


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


def _of_metric(metric: Any) -> tuple[Any, Any]:
    """The value of a Keras metric, and its only update."""
    (update,) = metric.updates
    return metric.result(), update


def _as_output(update: Any) -> Any:
    """An update as a tensor; an operation is none, but what follows it is."""
    if not isinstance(update, Operation):
        return update
    with scopes.control_dependencies([update]):
        return constant([], dtypes.float32, name="metric_op_wrapper")


def _named_tensors(outputs: Any, name: str, label: str) -> dict[str, Tensor]:
    if not isinstance(outputs, Mapping):
        outputs = {name: outputs}
    found = {}
    for key, value in outputs.items():
        checked = _checked_key(key, label)
        if not isinstance(value, Tensor):
            raise ValueError(f"{label} output value must be a Tensor; got {value}.")
        found[checked] = value
    return found


def _checked_key(key: Any, label: str) -> str:
    """A name; a head among several has a tuple of them."""
    joined = "/".join(key) if isinstance(key, tuple) else key
    if not isinstance(joined, str):
        raise ValueError(f"{label} output key must be a string; got {joined}.")
    return joined


def _under(outputs: Any, name: str) -> dict[str, Tensor] | None:
    if outputs is None:
        return None
    tensors = _named_tensors(outputs, name, name)
    return {_prefixed(key, name): value for key, value in tensors.items()}


def _prefixed(key: str, prefix: str) -> str:
    return key if key.startswith(prefix) else f"{prefix}/{key}"
