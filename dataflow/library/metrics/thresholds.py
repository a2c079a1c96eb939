"""Counts and ratios of predictions that are above thresholds, one for each threshold.

All take `labels`, which are cast to bool, and `predictions` of the same shape, floats from 0 to 1;
the step fails where one is outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_greater_equal, assert_less_equal
from dataflow.library.metrics.state import fitted, metric_variable, published
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.division import divide
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

_TINY = 1e-7
"""Keeps quotients of counts finite."""


class Counts(NamedTuple):
    """Counts for each threshold, by what labels and predictions were; None where not asked for."""

    true_positives: Any = None
    false_negatives: Any = None
    true_negatives: Any = None
    false_positives: Any = None


_LABEL_AND_PREDICTION = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}


def counted_at(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    wanted: Sequence[str] = Counts._fields,
) -> tuple[Counts, Counts]:
    """Variables with the weights of all predictions so far, and their updates.

    Args:
      labels: See above.
      predictions: See above.
      thresholds: A prediction is positive if it is above.
      weights: See above.
      wanted: Which counts, in the order of the fields of `Counts`.
    """
    predictions = convert_to_tensor(predictions)
    text = "predictions must be in [0, 1]"
    with control_dependencies(
        [
            assert_greater_equal(predictions, cast(0.0, predictions.dtype), message=text),
            assert_less_equal(predictions, cast(1.0, predictions.dtype), message=text),
        ]
    ):
        predictions, labels, weights = fitted(
            cast(predictions, dtypes.float32), cast(labels, dtypes.bool), weights
        )
    rows = len(thresholds)
    column: Any = array_shape.reshape(predictions, [-1, 1])
    row = array_shape.reshape(labels, [1, -1])
    size: Any = column.shape.as_list()[0]
    if size is None:
        known: Any = array_shape.shape(column)
        size = known[0]
    limits = array_broadcast.tile(
        array_shape.expand_dims(constant(thresholds), [1]), array_concat.stack([1, size])
    )
    is_above = math_compare.greater(
        array_broadcast.tile(array_transpose.transpose(column), [rows, 1]), limits
    )
    wanted_sides = [_LABEL_AND_PREDICTION[each] for each in wanted]
    is_predicted = {True: is_above}
    if any(not prediction for _, prediction in wanted_sides):
        is_predicted[False] = math_compare.logical_not(is_above)
    is_labelled = {True: array_broadcast.tile(row, [rows, 1])}
    if any(not label for label, _ in wanted_sides):
        is_labelled[False] = math_compare.logical_not(is_labelled[True])
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = array_broadcast.tile(array_shape.reshape(weights, [1, -1]), [rows, 1])
        limits.shape.assert_is_compatible_with(weights.shape)
    variables, updates = {}, {}
    for each, (label, prediction) in zip(wanted, wanted_sides, strict=True):
        variables[each] = metric_variable([rows], dtypes.float32, name=each)
        is_one = math_compare.logical_and(is_labelled[label], is_predicted[prediction])
        ones: Any = cast(is_one, dtypes.float32)
        if weights is not None:
            ones = ones * weights
        updates[each] = assign_add(variables[each], reductions.reduce_sum(ones, 1))
    return Counts(**variables), Counts(**updates)


def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where the label is true and the prediction above the threshold."""
    with variable_scope(name, "true_positives", (predictions, labels, weights)):
        value, update = counted_side("true_positives", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where the label is false and the prediction not above."""
    with variable_scope(name, "true_negatives", (predictions, labels, weights)):
        value, update = counted_side("true_negatives", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where the label is false and the prediction above the threshold."""
    with variable_scope(name, "false_positives", (predictions, labels, weights)):
        value, update = counted_side("false_positives", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The sum of the weights where the label is true and the prediction not above."""
    with variable_scope(name, "false_negatives", (predictions, labels, weights)):
        value, update = counted_side("false_negatives", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of predictions above the threshold whose label is true."""
    with variable_scope(name, "precision_at_thresholds", (predictions, labels, weights)):
        value, update = _shares("precision", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The share of true labels whose prediction is above the threshold."""
    with variable_scope(name, "recall_at_thresholds", (predictions, labels, weights)):
        value, update = _shares("recall", labels, predictions, thresholds, weights)
        return published(value, update, metrics_collections, updates_collections)


def counted_side(
    kind: str, labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> tuple[Tensor, Any]:
    """One of the counts, and its update."""
    counts, updates = counted_at(labels, predictions, thresholds, weights, [kind])
    return identity(getattr(counts, kind)), getattr(updates, kind)


_OTHERS = {"precision": "false_positives", "recall": "false_negatives"}


def _shares(
    kind: str, labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> tuple[Tensor, Tensor]:
    """The share of true positives among them and others, now and after the update."""
    others = _OTHERS[kind]
    wanted = ["true_positives", others]
    counts, updates = counted_at(labels, predictions, thresholds, weights, wanted)
    now, then = (
        divide(each.true_positives, _TINY + each.true_positives + getattr(each, others), name)
        for each, name in ((counts, f"{kind}_value"), (updates, f"{kind}_update_op"))
    )
    return now, then
