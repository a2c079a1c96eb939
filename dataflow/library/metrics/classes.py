"""Metrics of predicted classes, each class counting as much as any other.

They take `labels` and `predictions`, integers in `[0, num_classes)` of one shape.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.tensor import Tensor
from dataflow.library.confusion_matrix import confusion_matrix
from dataflow.library.metrics.state import fitted, metric_variable, published, safe_ratio
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import diag_part
from dataflow.ops.state.reference import assign_add
from dataflow.ops.state.scatter import scatter_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean over classes of how many places have the class in both over those in either.

    Classes that are in neither do not count. The update gives the confusion matrix, float64.
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions, labels, weights = fitted(predictions, labels, weights)
        counts, update = _streaming_confusion_matrix(labels, predictions, num_classes, weights)
        predicted: Any = cast(reductions.reduce_sum(counts, 0), dtypes.float32)
        true: Any = cast(reductions.reduce_sum(counts, 1), dtypes.float32)
        both: Any = cast(diag_part(counts), dtypes.float32)
        either: Any = predicted + true - both
        is_there = cast(math_compare.not_equal(either, 0), dtypes.float32)
        classes: Any = reductions.reduce_sum(is_there)
        either = array_select.where(
            math_compare.greater(either, 0), either, array_fill.ones_like(either)
        )
        shares = math_division.divide(both, either)
        value = array_select.where(
            math_compare.greater(classes, 0),
            reductions.reduce_sum(shares, name="mean_iou") / classes,
            0,
        )
        return published(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean over all classes of the share of their places where they are predicted.

    The update gives the share of each class.
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = cast(labels, dtypes.int64)
        predictions, labels, weights = fitted(predictions, labels, weights)
        labels, predictions = _flat(labels), _flat(predictions)
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        places: Any = array_fill.ones([array_shape.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        hits: Any = cast(math_compare.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = cast(_flat(weights), dtypes.float32)
            hits, places = hits * weights, places * weights
        new_total = scatter_add(total, labels, places)
        new_count = scatter_add(count, labels, hits)
        value = reductions.reduce_mean(safe_ratio(count, total), name="mean_accuracy")
        update = safe_ratio(new_count, new_total, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


def _streaming_confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any, weights: Any
) -> tuple[Any, Any]:
    """A variable with all counts so far, and its update."""
    total = metric_variable(
        [num_classes, num_classes], dtypes.float64, name="total_confusion_matrix"
    )
    predictions = cast(predictions, dtypes.int64)
    labels = cast(labels, dtypes.int64)
    num_classes = cast(num_classes, dtypes.int64)
    predictions, labels = _flat(predictions), _flat(labels)
    counts = confusion_matrix(
        labels,
        predictions,
        num_classes,
        weights=None if weights is None else _flat(weights),
        dtype=dtypes.float64,
    )
    return total, assign_add(total, counts)


def _flat(tensor: Any) -> Any:
    """The tensor as a vector; a scalar, which fits any, as it is."""
    is_flat = tensor.shape.rank is not None and tensor.shape.rank <= 1
    return tensor if is_flat else array_shape.reshape(tensor, [-1])
