"""Counts of true and false predictions, and the ratios of two of them.

All take `labels` and `predictions` of one shape, which are cast to bool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank_in, assert_type
from dataflow.library.metrics.state import fitted, metric_variable, published
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where both are true."""
    with variable_scope(name, "true_positives", (predictions, labels, weights)):
        value, update = _counted(labels, predictions, weights, True, True)
        return published(value, update, metrics_collections, updates_collections)


def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where both are false."""
    with variable_scope(name, "true_negatives", (predictions, labels, weights)):
        value, update = _counted(labels, predictions, weights, False, False)
        return published(value, update, metrics_collections, updates_collections)


def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where only the prediction is true."""
    with variable_scope(name, "false_positives", (predictions, labels, weights)):
        value, update = _counted(labels, predictions, weights, False, True)
        return published(value, update, metrics_collections, updates_collections)


def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where only the label is true."""
    with variable_scope(name, "false_negatives", (predictions, labels, weights)):
        value, update = _counted(labels, predictions, weights, True, False)
        return published(value, update, metrics_collections, updates_collections)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of true predictions whose label is true; 0 if there are none."""
    with variable_scope(name, "precision", (predictions, labels, weights)):
        value, update = _shares(labels, predictions, weights, false_positives)
        return published(value, update, metrics_collections, updates_collections)


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of true labels whose prediction is true; 0 if there are none."""
    with variable_scope(name, "recall", (predictions, labels, weights)):
        value, update = _shares(labels, predictions, weights, false_negatives)
        return published(value, update, metrics_collections, updates_collections)


def _as_bools(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    return fitted(cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights)


def _counted(
    labels: Any, predictions: Any, weights: Any, label: bool, prediction: bool
) -> tuple[Tensor, Any]:
    """The weights of the places with this label and this prediction, added up."""
    predictions, labels, weights = _as_bools(predictions, labels, weights)
    is_one: Any = math_compare.logical_and(
        math_compare.equal(labels, label), math_compare.equal(predictions, prediction)
    )
    assert_type(is_one, dtypes.bool)
    count = metric_variable([], dtypes.float32, name="count")
    ones = cast(is_one, dtypes.float32)
    if weights is not None:
        weights = cast(weights, dtypes.float32)
        with control_dependencies([assert_rank_in(weights, (0, array_shape.rank(ones)))]):
            ones = math_binary.multiply(ones, weights)
    value = identity(count)
    return value, assign_add(count, reductions.reduce_sum(ones))


def _shares(
    labels: Any, predictions: Any, weights: Any, count: Callable[..., tuple[Tensor, Any]]
) -> tuple[Tensor, Tensor]:
    """The share of true positives among them and what is counted, now and after the update."""
    predictions, labels, weights = _as_bools(predictions, labels, weights)
    hits, new_hits = true_positives(labels, predictions, weights)
    others, new_others = count(labels, predictions, weights)
    return _share(hits, others, "value"), _share(new_hits, new_others, "update_op")


def _share(hits: Any, others: Any, name: str) -> Tensor:
    """The share of hits among both; 0 if there are none."""
    return array_select.where(
        math_compare.greater(hits + others, 0),
        math_division.divide(hits, hits + others),
        0,
        name,
    )
