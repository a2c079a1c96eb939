"""Metrics of heads: means and curves of predictions and labels, of all classes or of one."""

from __future__ import annotations

from typing import Any

import dataflow.library.metrics.curves as curves
import dataflow.library.metrics.means as means
import dataflow.library.metrics.thresholds as at_thresholds
import dataflow.ops.array.shape as array_shape
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, greater_equal
from dataflow.values import dtypes, logging

Metric = tuple[Any, Any]


def mean(values: Any, weights: Any, class_id: int | None = None) -> Metric:
    """The mean of numbers, or of those in a class's column."""
    values, weights = _of_class(cast(values, dtypes.float32), weights, class_id)
    return means.mean(values, weights)


def share(values: Any, weights: Any, class_id: int) -> Metric:
    """How many of some numbers of classes are that of one."""
    is_it = equal(cast(class_id, dtypes.int32), cast(values, dtypes.int32))
    return means.mean(cast(is_it, values.dtype), weights=weights)


def area(
    predictions: Any, labels: Any, weights: Any, class_id: int | None = None, curve: str = "ROC"
) -> Metric:
    """The area under a curve."""
    if labels.dtype.base_dtype != dtypes.bool:
        logging.warning("Casting %s labels to bool.", labels.dtype)
        labels = cast(labels, dtypes.bool)
    predictions, weights = _of_class(cast(predictions, dtypes.float32), weights, class_id)
    labels = labels if class_id is None else labels[:, class_id]
    return curves.auc(labels, predictions, weights, curve=curve)


def accuracy_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The share of right predictions, if those from a threshold on are 1."""
    found = cast(greater_equal(predictions, threshold), dtypes.float32)
    return means.accuracy(labels, found, weights)


def precision_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The precision of predictions above a threshold."""
    return _single(
        at_thresholds.precision_at_thresholds(labels, predictions, (threshold,), _floats(weights))
    )


def recall_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The recall of predictions above a threshold."""
    return _single(
        at_thresholds.recall_at_thresholds(labels, predictions, (threshold,), _floats(weights))
    )


def _of_class(values: Any, weights: Any, class_id: int | None) -> tuple[Any, Any]:
    weights = _floats(weights)
    if weights is not None:
        weights = broadcast_weights(weights, values)
    if class_id is None:
        return values, weights
    return values[:, class_id], None if weights is None else weights[:, class_id]


def _floats(weights: Any) -> Any:
    return None if weights is None else cast(weights, dtypes.float32, name="float_weights")


def _single(metric: Metric) -> Metric:
    value, update = metric
    return array_shape.squeeze(value), array_shape.squeeze(update)
