"""Targets: losses, predictions and metrics of logits, as tf.contrib.learn first had them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.contrib.metrics.streaming import (
    streaming_accuracy,
    streaming_auc,
    streaming_mean,
    streaming_precision_at_thresholds,
    streaming_recall_at_thresholds,
)
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import multiply, squared_difference
from dataflow.ops.math.compare import greater_equal
from dataflow.ops.math.division import truediv
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes

Metric = Callable[..., Any]


class ProblemType:
    """What a model solves."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


def regression_target(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
) -> _TargetColumn:
    """A target of numbers, whose loss is the mean of squares.

    Args:
      label_name: The labels' name, if they are in a dictionary.
      weight_column_name: The feature that holds the weights of examples.
      label_dimension: How many numbers a label has.
    """
    return _Regression(
        _squares,
        label_dimension,
        label_name,
        weight_column_name,
        ProblemType.LINEAR_REGRESSION,
    )


def multi_class_target(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None
) -> _TargetColumn:
    """A target of classes, whose loss is the cross entropy.

    Args:
      n_classes: How many classes; of two there is one logit.
      label_name: The labels' name, if they are in a dictionary.
      weight_column_name: The feature that holds the weights of examples.

    Raises:
      ValueError: There are less than two classes.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return _Classes(
        _log_loss if n_classes == 2 else _cross_entropy,
        1 if n_classes == 2 else n_classes,
        label_name,
        weight_column_name,
        ProblemType.CLASSIFICATION,
    )


class _TargetColumn:
    """What is made of logits."""

    def __init__(
        self,
        loss_fn: Callable[[Any, Any], Any],
        num_label_columns: int,
        label_name: str | None,
        weight_column_name: str | None,
        problem_type: int,
    ) -> None:
        self._loss_fn = loss_fn
        self._num_label_columns = num_label_columns
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._problem_type = problem_type

    @property
    def label_name(self) -> str | None:
        """The labels' name."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The name of the weights."""
        return self._weight_column_name

    @property
    def num_label_columns(self) -> int:
        """How many logits an example has."""
        return self._num_label_columns

    @property
    def problem_type(self) -> int:
        """One of `ProblemType`."""
        return self._problem_type

    def get_weight_tensor(self, features: Any) -> Any:
        """The weights of examples, a float32 vector, or None."""
        if not self._weight_column_name:
            return None
        weights = cast(features[self._weight_column_name], dtypes.float32)
        return array_shape.reshape(weights, [-1])

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        """What logits predict."""
        raise NotImplementedError

    def get_eval_ops(
        self, features: Any, logits: Any, labels: Any, metrics: Mapping[Any, Metric] | None = None
    ) -> dict[str, Any]:
        """The metrics of an evaluation, by name: their values and updates."""
        raise NotImplementedError

    def training_loss(
        self, logits: Any, target: Any, features: Any, name: str = "training_loss"
    ) -> Any:
        """The mean of losses, which are multiplied by the weights."""
        losses, weights = self._losses(logits, target, features)
        if weights is not None:
            losses = multiply(array_shape.reshape(losses, [-1]), weights)
        return reduce_mean(losses, name=name)

    def loss(self, logits: Any, target: Any, features: Any) -> Any:
        """The mean of losses by the weights."""
        losses, weights = self._losses(logits, target, features)
        if weights is None:
            return reduce_mean(losses, name="loss")
        total = reduce_sum(multiply(array_shape.reshape(losses, [-1]), weights))
        return truediv(total, cast(reduce_sum(weights), dtypes.float32), name="loss")

    def _losses(self, logits: Any, target: Any, features: Any) -> tuple[Any, Any]:
        chosen = target[self._label_name] if isinstance(target, dict) else target
        return self._loss_fn(logits, chosen), self.get_weight_tensor(features)


class _Regression(_TargetColumn):
    """Of numbers."""

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        return array_shape.squeeze(logits, axis=[1]) if self._num_label_columns == 1 else logits

    def get_eval_ops(
        self, features: Any, logits: Any, labels: Any, metrics: Mapping[Any, Metric] | None = None
    ) -> dict[str, Any]:
        found = {"loss": streaming_mean(self.loss(logits, labels, features))}
        predictions = self.logits_to_predictions(logits)
        return found | _measured(predictions, labels, metrics, self.get_weight_tensor(features))


class _Classes(_TargetColumn):
    """Of classes."""

    def logits_to_predictions(self, logits: Any, proba: bool = False) -> Any:
        if self._num_label_columns == 1:
            logits = array_concat.concat([zeros_like(logits), logits], 1)
        return softmax(logits) if proba else argmax(logits, 1)

    def get_eval_ops(
        self, features: Any, logits: Any, labels: Any, metrics: Mapping[Any, Metric] | None = None
    ) -> dict[str, Any]:
        found = {"loss": streaming_mean(self.loss(logits, labels, features))}
        if self._num_label_columns == 1:
            found |= _of_two_classes(sigmoid(logits), cast(labels, dtypes.float32), 0.5)
        if metrics is None:
            metrics = {("accuracy", "classes"): streaming_accuracy}
        chosen: dict[str, dict[str, Metric]] = {"classes": {}, "probabilities": {}}
        for name, metric in metrics.items():
            text, of = (name, "classes") if isinstance(name, str) else _pair(name)
            chosen[of][text] = metric
        weights = self.get_weight_tensor(features)
        for of, named in chosen.items():
            if named:
                predictions = self.logits_to_predictions(logits, of == "probabilities")
                found |= _measured(predictions, labels, named, weights)
        return found


def _pair(name: Any) -> tuple[str, str]:
    if not isinstance(name, tuple):
        raise ValueError(f"Ignoring metric {name}. Its name is not in the correct form.")
    if len(name) != 2:
        raise ValueError(
            f"Ignoring metric {name}. It returned a tuple with len {len(name)}, expected 2."
        )
    if name[1] not in ("classes", "probabilities"):
        raise ValueError(
            f"Ignoring metric {name}. The 2nd element of its name should be either 'classes' or "
            "'probabilities'."
        )
    return name


def _measured(predictions: Any, labels: Any, metrics: Any, weights: Any) -> dict[str, Any]:
    more = {} if weights is None else {"weights": weights}
    labels = cast(labels, predictions.dtype)
    return {name: metric(predictions, labels, **more) for name, metric in (metrics or {}).items()}


def _of_two_classes(predictions: Any, labels: Any, threshold: float) -> dict[str, Any]:
    """The metrics that there always are."""
    found = {
        "labels/prediction_mean": streaming_mean(predictions),
        "labels/actual_target_mean": streaming_mean(labels),
        "accuracy/baseline_target_mean": streaming_mean(labels),
        "auc": streaming_auc(predictions, labels),
    }
    above = cast(greater_equal(predictions, threshold), dtypes.float32)
    found[f"accuracy/threshold_{threshold:f}_mean"] = streaming_accuracy(above, labels)
    for name, metric in (
        ("precision", streaming_precision_at_thresholds),
        ("recall", streaming_recall_at_thresholds),
    ):
        value, update = metric(predictions, labels, thresholds=[threshold])
        key = f"{name}/positive_threshold_{threshold:f}_mean"
        found[key] = array_shape.squeeze(value), update
    return found


def _as_column(target: Any) -> Any:
    return array_shape.expand_dims(target, axis=1) if target.shape.rank == 1 else target


def _squares(logits: Any, target: Any) -> Any:
    target = _as_column(target)
    logits.shape.assert_is_compatible_with(target.shape)
    return squared_difference(logits, cast(target, dtypes.float32))


def _log_loss(logits: Any, target: Any) -> Any:
    labels = cast(_as_column(target), dtypes.float32)
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


def _cross_entropy(logits: Any, target: Any) -> Any:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer Instead got {target.dtype}.")
    if target.shape.rank == 2:
        target = array_shape.squeeze(target, axis=[1])
    return sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
