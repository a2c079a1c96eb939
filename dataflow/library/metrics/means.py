"""Means of values, and what is the mean of a comparison: accuracy, the share below a threshold."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.state import fitted, metric_variable, published, safe_ratio
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean of all values so far, float32.

    Args:
      values: A tensor of numbers.
      weights: See above.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(array_shape.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            number = reductions.reduce_sum(weights)
        new_total = assign_add(total, reductions.reduce_sum(values))
        with control_dependencies([values]):
            new_count = assign_add(count, number)
        value = safe_ratio(total, count, name="value")
        update = safe_ratio(new_total, new_count, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean of each element of the values so far; their shape must be known. See `mean`."""
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, name="total_tensor")
        count = metric_variable(values.shape, dtypes.float32, name="count_tensor")
        number: Any = array_fill.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            number = math_binary.multiply(number, weights)
        new_total = assign_add(total, values)
        with control_dependencies([values]):
            new_count = assign_add(count, number)
        value = safe_ratio(total, count, name="value")
        update = safe_ratio(new_total, new_count, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of predictions that equal their labels.

    Args:
      labels: The true classes.
      predictions: The predicted ones, of the same shape; cast to the type of the labels.
      weights: See above.
      metrics_collections: See above.
      updates_collections: See above.
      name: See above.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    is_correct = cast(math_compare.equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share, from 0 to 1, of values that are below a threshold; see `mean`."""
    is_below = cast(math_compare.less(values, threshold), dtypes.float32)
    name = name or "percentage_below_threshold"
    return mean(is_below, weights, metrics_collections, updates_collections, name)


def _weighted(values: Any, weights: Any) -> tuple[Any, Any]:
    """The values times their weights, and the weights in the shape of the values."""
    values, _, weights = fitted(values, None, weights)
    weights = broadcast_weights(cast(weights, dtypes.float32), values)
    return math_binary.multiply(values, weights), weights
